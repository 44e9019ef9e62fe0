"""Load cases of the AWT-27 that another program has computed: regression tests of OpenFAST."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...errors import SetupError, did_you_mean
from ...multibody.aerodynamics import Wake, Wind
from ...multibody.aerodynamics.rotor import SKEW_GRADIENT
from ...multibody.library import awt27, wind_turbine
from ...multibody.library.wind_turbine import Air, blade_loads

if TYPE_CHECKING:
    import pandas as pd

    from ...diagram import Diagram
    from ...multibody.modelling.mechanism import Mechanism
    from ...results import Result
    from ...system import System

RPM = np.pi / 30
Array = NDArray[np.float64]
_SHEARED = Wind.steady(12.0, towards=-30.0, reference_height=42.672, shear_exponent=0.2)
_RATIO = 22.5


@dataclass(frozen=True)
class Case:
    """A load case.

    Parameters
    ----------
    air : Air
        Wind and aerodynamic options.
    rotor_speed : float
        At the start, rad/s.
    yaw : float
        Of the nacelle, rad.
    free_yaw : bool
        Whether it turns freely.
    generator : {"slip", "circuit"}
        Torque as a line over slip, always on; or the equivalent circuit, switched.
    on : two floats
        When the switched generator is on the grid, s.
    brake : two floats, optional
        Start (s) and full torque (N m) of the brake on the fast shaft.
    duration : float
        s.

    Examples
    --------
    Free yaw in a wind that rises:

    >>> wind = Wind.ramp([0, 5, 20], [12, 12, 16], reference_height=42.672, shear_exponent=0.2)
    >>> case = Case(Air(wind, dynamic_stall=True), rotor_speed=53.3 * RPM, yaw=0.0, free_yaw=True)
    >>> awt27_system(case, blade_segments=2, tower_segments=2).name
    'AWT-27'
    """

    air: Air
    rotor_speed: float
    yaw: float
    free_yaw: bool = False
    generator: str = "slip"
    on: tuple[float, float] = (0.0, np.inf)
    brake: tuple[float, float] | None = None
    duration: float = field(default=20.0)


_FREE_WAKE = Wake(hub_loss=False, drag=False, skew_gradient=SKEW_GRADIENT)
AWT27_CASES = {
    "AWT_YFix_WSt": Case(
        Air(_SHEARED, wake=Wake(drag=False, skewed_flow=True, skew_gradient=SKEW_GRADIENT, skew_loss=True,
                                time_constant=2.02, sector_points=5), tower_shadow=True, dynamic_stall=True),
        rotor_speed=53.333 * RPM, yaw=float(np.radians(-15.0)),
    ),
    "AWT_YFree_WSt": Case(
        Air(_SHEARED, wake=_FREE_WAKE, tower_shadow=True, dynamic_stall=True), rotor_speed=53.333 * RPM,
        yaw=float(np.radians(-15.0)), free_yaw=True,
    ),
    "AWT_WSt_StartUp_HighSpShutDown": Case(
        Air(Wind.steady(12.0), wake=Wake(hub_loss=False, drag=False)), rotor_speed=0.0, yaw=0.0, generator="circuit",
        on=(6.0, 12.0), brake=(13.0, 6000.0),
    ),
}  # fmt: skip
"""Cases by the names they have in the source, with the aerodynamic options that each has there."""


def slip_curve(synchronous: float = 1200 * RPM, slip: float = 0.015125, torque: float = 1367.9,
               pull_out: float = 2.0) -> list[tuple[float, float]]:  # fmt: skip
    """Return braking torque (N m) over speed (rad/s) of an induction generator, constant beyond the pull-out torque."""
    most = pull_out * torque
    edge = pull_out * slip * synchronous
    return [(synchronous - 1000.0, -most), (synchronous - edge, -most), (synchronous + edge, most),
            (synchronous + 1000.0, most)]  # fmt: skip


def awt27_turbine(case: Case, *, blade_segments: int = 10, tower_segments: int = 5) -> Mechanism:
    """Return the AWT-27 in a load case."""
    curve = slip_curve() if case.generator == "slip" else None
    model = wind_turbine(awt27(), case.air, rotor_speed=case.rotor_speed, yaw=case.yaw, free_yaw=case.free_yaw,
                         generator=curve, blade_segments=blade_segments, tower_segments=tower_segments)  # fmt: skip
    for k in (0, 1):
        model.output(f"tower_moment_{k}", f"tower_hinge_{k}")
    model.standard_outputs = ("q", "violation")
    return model


def _case(given: str | Case) -> Case:
    if isinstance(given, Case):
        return given
    if given not in AWT27_CASES:
        raise SetupError(f'AWT-27: case "{given}"{did_you_mean(given, AWT27_CASES)}')
    return AWT27_CASES[given]


def awt27_system(case: str | Case, *, step: float = 0.004, blade_segments: int = 10, tower_segments: int = 5) -> System:
    """Return a load case of the AWT-27, ready to run.

    Parameters
    ----------
    case : str or Case
        A key of ``AWT27_CASES``, or conditions of your own.
    step : float
        s.
    blade_segments, tower_segments : int
        Elements of each blade and the tower.

    Examples
    --------
    >>> awt27_system("AWT_YFix_WSt", blade_segments=2, tower_segments=2).name
    'AWT_YFix_WSt'
    """
    from ...system import System

    name = case if isinstance(case, str) else "AWT-27"
    case = _case(case)
    system = System(name)
    model = awt27_turbine(case, blade_segments=blade_segments, tower_segments=tower_segments)
    system.add("awt27", model.subsystem(), step=step)
    if case.generator == "circuit":
        system.add("generator", _switched(case).subsystem(), step=step)
        system.connect("awt27.generator_speed", "generator.speed")
        system.connect("generator.torque", "awt27.generator_torque")
        system.connect("generator.brake", "awt27.brake_torque")
    return system


def _switched(case: Case) -> Diagram:
    """Return generator and brake with their times: what the shaft feels over its speed."""
    from ...diagram import Diagram
    from ...diagram.library import thevenin_generator

    model = Diagram("generator")
    speed = model.input("speed", 0.0, unit="rad/s")
    on = model.expression("1 if t >= first and t < last else 0", first=case.on[0], last=min(case.on[1], 1e9), name="on")
    machine = model.superblock(thevenin_generator(), name="machine", speed=speed, on=on)
    start, full = case.brake or (1e9, 0.0)
    # Within 0.5 s to its full torque; tanh holds the shaft when it has come to rest.
    brake = model.expression("T * max(0, min(1, (t - t0) / 0.5)) * tanh(w / 2)", w=speed, T=full, t0=start)
    for port, signal in (("torque", machine["torque"]), ("power", machine["power"]), ("brake", brake)):
        model.output(port, signal)
    return model


def awt27_channels(result: Result, case: str | Case = "AWT_YFix_WSt") -> pd.DataFrame:
    """Return the result of a case as the channels that OpenFAST records: kN m, kN, m, degrees, rpm, over time (s)."""
    import pandas as pd

    data = awt27()

    def of(signal: str) -> Array:
        return np.asarray(result[f"awt27.{signal}"].values, dtype=float)

    first, second = (blade_loads(data, result, k, "awt27") for k in (1, 2))
    flap_edge = second.turned(data.pitch)
    speed = of("generator_speed").ravel() / _RATIO
    columns = {
        "time_s": first.time,
        "rotor_speed_rpm": speed / RPM,
        "azimuth_deg": np.degrees(of("azimuth").ravel()),
        "teeter_deg": np.degrees(of("teeter").ravel()),
        "teeter_rate_deg_s": np.degrees(of("teeter_rate").ravel()),
        "shaft_torque_kNm": -of("shaft_torsion")[:, 0] / 1e3,
        "root_out_of_plane_force_b2_kN": second.force[:, 0] / 1e3,
        "root_in_plane_force_b2_kN": second.force[:, 1] / 1e3,
        "tip_flap_deflection_b2_m": flap_edge[:, 0],
        "tip_edge_deflection_b2_m": flap_edge[:, 1],
        "tip_out_of_plane_b2_m": second.deflection[:, 0],
        "tip_in_plane_b2_m": second.deflection[:, 1],
        "tower_top_x_m": of("tower_top")[:, 0],
        "tower_top_y_m": of("tower_top")[:, 1],
        "yaw_deg": np.degrees(_case(case).yaw + of("yaw").ravel()),
        "yaw_rate_deg_s": np.degrees(of("yaw_rate").ravel()),
    }
    for number, loads in ((1, first), (2, second)):
        columns[f"root_out_of_plane_moment_b{number}_kNm"] = loads.out_of_plane_moment / 1e3
        columns[f"root_in_plane_moment_b{number}_kNm"] = loads.in_plane_moment / 1e3
    # Bending moments at the two lowest hinges, on a straight line down to the ground.
    lower, upper = of("tower_moment_0")[:, 3:5], of("tower_moment_1")[:, 3:5]
    base = -(1.5 * lower - 0.5 * upper) / 1e3
    columns |= {"tower_base_Mx_kNm": base[:, 0], "tower_base_My_kNm": base[:, 1]}
    if "awt27.yaw_moment" in result:
        columns["yaw_bearing_moment_kNm"] = -of("yaw_moment").ravel() / 1e3  # of the nacelle on the tower
    return pd.DataFrame(columns | _generator_channels(result, first.time, speed * _RATIO))


def _generator_channels(result: Result, time: Array, speed: Array) -> dict[str, Array]:
    """Return torque (kN m), power (kW) and, where there is one, the torque of the brake (kN m)."""
    if "generator.torque" not in result:
        torque = np.interp(speed, *np.array(slip_curve()).T)
        return {"generator_torque_kNm": torque / 1e3, "generator_power_kW": torque * speed / 1e3}

    def of(port: str) -> Array:
        signal = result[f"generator.{port}"]
        return np.asarray(np.interp(time, signal.time, np.asarray(signal.values, dtype=float).ravel()) / 1e3)

    return {"generator_torque_kNm": of("torque"), "generator_power_kW": of("power"), "brake_torque_kNm": of("brake")}
