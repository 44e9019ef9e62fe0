"""Tables of rotors: blade sections, polars, wind, wake."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np
from pydantic import Field

from ..._files.tables import Table
from ...errors import SetupError, did_you_mean
from ..aerodynamics import BladeSection, Polar, TowerShadow, Wake, Wind, rotor
from .elements import Element
from .units import Units
from .values import Axis, In, InPolar, InTime, Numbers, Quantity, TimeValues

if TYPE_CHECKING:
    from ..modelling.mechanism import Mechanism
    from ..modelling.parts import ForcePart

_PROFILE = ("reference_height", "shear_exponent", "roughness_length")
_PLAIN = ("body", "radius", "hub_radius", "blades", "inflow", "dynamic_stall", "density")
_DEFAULTS = {"hub_radius": 0.0, "inflow": "momentum", "dynamic_stall": False, "density": 1.225}


class PolarTable(Table):
    """Coefficients of an aerofoil: rows of angle, lift, drag and, optionally, moment."""

    rows: Annotated[list[Annotated[list[float], Field(min_length=3, max_length=4)]], InPolar()]
    zero_lift: Annotated[Quantity | None, In("angle")] = None
    lift_slope: Annotated[Quantity | None, In("1/angle")] = None
    stall: Annotated[list[float], Field(min_length=2, max_length=2)] | None = None


class SectionTable(Table):
    """A strip of a blade."""

    body: str
    place: Annotated[Numbers, In("length")] = Field(alias="at")
    chord: Axis
    normal: Axis
    chord_length: Annotated[Quantity, In("length")]
    span: Annotated[Quantity, In("length")]
    radius: Annotated[Quantity, In("length")]
    polar: str


class WakeTable(Table):
    """What the balance of momentum takes into account."""

    tip_loss: bool | None = None
    hub_loss: bool | None = None
    drag: bool | None = None
    skewed_flow: bool | None = None
    skew_gradient: float | None = None
    skew_loss: bool | None = None
    time_constant: Annotated[Quantity | None, In("time")] = None
    sector_points: int | None = None


class TowerTable(Table):
    """A tower whose wake the blades pass."""

    radius: Annotated[Quantity, In("length")]
    drag: float
    height: Annotated[Quantity, In("length")]


class Rotor(Element):
    """The air on the blades of a rotor."""

    method: ClassVar[str] = "rotor_aerodynamics"
    body: str
    centre: Annotated[Numbers, In("length")]
    axis: Axis
    radius: Annotated[Quantity, In("length")]
    blades: int
    sections: Annotated[dict[str, SectionTable], Field(min_length=1)]
    polars: Annotated[dict[str, PolarTable], Field(min_length=1)]
    hub_radius: Annotated[Quantity | None, In("length")] = None
    wind: Annotated[TimeValues | None, InTime("length/time")] = None
    reference_height: Annotated[Quantity | None, In("length")] = None
    shear_exponent: float | None = None
    roughness_length: Annotated[Quantity | None, In("length")] = None
    inflow: str | None = None
    wake: WakeTable | None = None
    dynamic_stall: bool | None = None
    tower: TowerTable | None = None
    density: Annotated[Quantity | None, In("mass/length^3")] = None

    def arguments(self, converted: dict[str, Any], units: Units) -> dict[str, Any]:
        """Turn the tables to polars, sections, wind, wake and tower."""
        polars = converted.pop("polars")
        numbers = {name: k for k, name in enumerate(polars)}
        profile = {key: converted.pop(key) for key in _PROFILE if key in converted}
        made = dict(converted)
        made["polars"] = [_polar(table) for table in polars.values()]
        made["sections"] = [_section(name, table, numbers) for name, table in converted["sections"].items()]
        made["wind"] = Wind(tuple(converted.get("wind", (0.0, 0.0, 0.0))), **profile)
        if "wake" in made:
            made["wake"] = Wake(**made["wake"])
        if "tower" in made:
            made["tower"] = TowerShadow(**made["tower"])
        return made

    def add_to(self, mechanism: Mechanism, name: str, arguments: dict[str, Any]) -> None:
        """Add the rotor: aerodynamics build on mechanisms, which have no method for them."""
        rotor(mechanism, name, **arguments)


def _polar(table: dict[str, Any]) -> Polar:
    angle, lift, drag, *moment = (np.array(column) for column in zip(*table["rows"], strict=True))
    stall = table.get("stall")
    return Polar(
        angle,
        lift,
        drag,
        moment[0] if moment else None,
        table.get("zero_lift"),
        table.get("lift_slope"),
        None if stall is None else (stall[0], stall[1]),
    )


def _section(name: str, table: dict[str, Any], polars: dict[str, int]) -> BladeSection:
    wanted = table["polar"]
    if wanted not in polars:
        raise SetupError(f'sections: "{name}": no polar "{wanted}"{did_you_mean(wanted, polars)}')
    return BladeSection(**{**table, "polar": polars[wanted]})


def written(part: ForcePart) -> dict[str, Any]:
    """Return the table of a rotor, in SI units, without what is as by default."""
    options = part.options
    made: dict[str, Any] = {key: np.asarray(options[key]).tolist() for key in ("centre", "axis")}
    made |= {key: options[key] for key in _PLAIN if options[key] != _DEFAULTS.get(key)}
    wind: Wind = options["wind"]
    if any(value != 0.0 for value in wind.velocity):
        made["wind"] = list(wind.velocity)
    made |= _changed(wind, Wind(), _PROFILE)
    wake = _changed(options["wake"], Wake(), tuple(WakeTable.model_fields))
    tower: TowerShadow | None = options["tower"]
    if wake:
        made["wake"] = wake
    if tower is not None:
        made["tower"] = {"radius": tower.radius, "drag": tower.drag, "height": tower.height}
    made["polars"] = {f"polar_{k}": _polar_table(polar) for k, polar in enumerate(options["polars"])}
    made["sections"] = {f"section_{k}": _section_table(section) for k, section in enumerate(options["sections"])}
    return made


def _changed(value: Any, default: Any, keys: tuple[str, ...]) -> dict[str, Any]:
    return {key: getattr(value, key) for key in keys if getattr(value, key) != getattr(default, key)}


def _polar_table(polar: Polar) -> dict[str, Any]:
    columns = [polar.angle, polar.lift, polar.drag, *([] if polar.moment is None else [polar.moment])]
    limits = [float(x) for x in polar.stall or ()]
    return {
        "rows": np.column_stack(columns).tolist(),
        "zero_lift": polar.zero_lift,
        "lift_slope": polar.lift_slope,
        **({"stall": limits} if np.all(np.isfinite(limits)) else {}),
    }


def _section_table(section: BladeSection) -> dict[str, Any]:
    directions = {key: np.asarray(getattr(section, key), dtype=float).tolist() for key in ("chord", "normal")}
    return {
        "body": section.body, "at": np.asarray(section.place, dtype=float).tolist(), **directions,
        "chord_length": section.chord_length, "span": section.span, "radius": section.radius,
        "polar": f"polar_{section.polar}",
    }  # fmt: skip
