"""Mechanisms to TOML files, in SI units; what is written can be read again."""

from __future__ import annotations

import inspect
import os
from collections.abc import Iterable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

from ..._files.toml_writing import to_toml, write_new
from ...errors import SetupError
from ..modelling.mechanism import Mechanism
from ..modelling.outputs import STANDARD
from ..modelling.parts import GROUND, Coordinate, Joint, Link, MeasurePart
from .elements import Element
from .forces import FORCES
from .rotors import written
from .values import PythonObject, Reference


def save(
    mechanism: Mechanism, path: str | os.PathLike[str], *, until: float | None = None, overwrite: bool = False
) -> Path:
    """Write a mechanism as a model file, in SI units.

    Parameters
    ----------
    mechanism : Mechanism
        What to write. Python functions in it can be written only if they come from a model file.
    path : path
        Where to; ends in ``.toml``.
    until : float, optional
        End of the run (s) for ``counterpoint run``.
    overwrite : bool
        Replace a file that is there.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    SetupError
        Something in the mechanism cannot be written to a file.
    OutputError
        The file cannot be written.
    """
    return write_new(path, dumps(mechanism, until=until), overwrite=overwrite)


def dumps(mechanism: Mechanism, *, until: float | None = None) -> str:
    """Return the text of the model file of a mechanism."""
    problems: list[str] = []
    document = _Writer(mechanism, problems).document()
    if until is not None:
        document["run"] = {"until": float(until)}
    if problems:
        raise SetupError([f"{mechanism.name}: {problem}" for problem in problems])
    return to_toml(document)


class _Writer:
    """Turns the parts of a mechanism into tables."""

    def __init__(self, mechanism: Mechanism, problems: list[str]) -> None:
        self.mechanism = mechanism
        self.problems = problems

    def document(self) -> dict[str, Any]:
        """Return all tables."""
        m = self.mechanism
        frames = {f"{name}_frame" for name in m.modal_parts}
        tables: dict[str, Any] = {
            "mechanism": self._head(),
            "points": {p.name: self._point(p) for p in m.points.values() if p.name not in frames},
            "vectors": {v.name: _given(along=v.direction, fixed=v.fixed or None) for v in m.vectors.values()},
            "coordinates": {c.name: _coordinate(c) for c in m.coordinates.values()},
            "modal_bodies": {name: self._modal_body(name) for name in m.modal_parts},
            "bodies": {name: self._body(name) for name in m.bodies if name not in m.modal_parts},
            "point_masses": self._masses(),
            "joints": {j.name: self._joint(j) for j in m.joints.values()},
            "links": {link.name: _link(link) for link in m.links.values()},
            "measures": {p.name: _measure(p) for p in m.measures.values() if p.kind not in ("coordinate", "mode")},
            "relations": {
                r.name: _given(kind="linear", factors=r.factors, constant=r.constant) for r in m.relations.values()
            },
            "guides": self._by_measure(
                "guides", [(g.measure, self._plain(f"guide of {g.measure}", g.value)) for g in m.guides]
            ),
            "initial": self._by_measure(
                "initial", [(i.measure, _given(value=i.value, rate=i.rate)) for i in m.initial_values]
            ),
            "start_position": {name: _listed(place) for name, place in m.start_position.items()},
            **self._forces(),
            "inputs": m.inputs,
            "outputs": {name: self._output(name) for name in m.outputs},
            "formulation": self._formulation(),
        }
        names = [*(name for table in m._tables().values() for name in table), *m.inputs, *m.outputs]
        self.problems += [f"name {name!r} cannot be written" for name in names if not name.isprintable()]
        return {name: table for name, table in tables.items() if table}

    def _head(self) -> dict[str, Any]:
        m = self.mechanism
        shown = None if m.standard_outputs == tuple(STANDARD) else list(m.standard_outputs)
        return _given(
            name=m.name, dimension=m.dimension, units="SI", gravity=m.gravity, step=m.step, standard_outputs=shown,
            notes=m.notes or None,
        )  # fmt: skip

    def _point(self, point: Any) -> dict[str, Any]:
        velocity = point.velocity if np.any(point.velocity) else None
        return _given(at=point.position, fixed=point.fixed or None, velocity=velocity)

    def _body(self, name: str) -> dict[str, Any]:
        part = self.mechanism.bodies[name]
        inertia: Any = part.inertia
        if inertia is not None:
            inertia = float(inertia[0, 0]) if self.mechanism.dimension == 2 else inertia
        shape = self._plain(f'body "{name}": shape', part.shape) if part.shape else None
        return _given(
            points=part.points, vectors=part.vectors or None, mass=part.mass, centre=part.centre, inertia=inertia,
            local=part.local, shape=shape,
        )  # fmt: skip

    def _modal_body(self, name: str) -> dict[str, Any]:
        modal, table = self.mechanism.modal_parts[name], self._body(name)
        modes = {
            mode.name: _given(
                shapes=modal.shapes[k], rotations=modal.rotations[k] or None, mass=mode.mass or None,
                **self._spring_of(modal.measure(k)),
            )
            for k, mode in enumerate(modal.modes)
        }  # fmt: skip
        return {**table, "points": modal.points, "modes": modes}

    def _spring_of(self, measure: str) -> dict[str, float | None]:
        options = self.mechanism.forces[f"{measure}_spring"].options
        return {"stiffness": options["stiffness"], "damping": options["damping"] or None}

    def _masses(self) -> dict[str, float]:
        total: dict[str, float] = {}
        for mass in self.mechanism.point_masses:
            total[mass.point] = total.get(mass.point, 0.0) + mass.mass
        return total

    def _joint(self, joint: Joint) -> dict[str, Any]:
        return _given(
            kind=joint.kind, bodies=list(joint.bodies), at=joint.at, axis=joint.axis, second_axis=joint.second_axis,
            value=joint.value,
        )  # fmt: skip

    def _by_measure(self, what: str, pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
        made: dict[str, Any] = {}
        for measure, value in pairs:
            if measure in made:
                self.problems.append(f'{what}: measure "{measure}" has two; a file has room for one')
            made[measure] = value
        return made

    def _forces(self) -> dict[str, dict[str, Any]]:
        sections = {table.method: section for section, table in FORCES.items()}
        made: dict[str, dict[str, Any]] = {}
        own = {
            f"{part.measure(k)}_spring" for part in self.mechanism.modal_parts.values() for k in range(len(part.modes))
        }
        for part in self.mechanism.forces.values():
            if part.name in own:
                continue
            if part.kind == "rotor aerodynamics":
                made.setdefault("rotors", {})[part.name] = self._plain(f'rotor "{part.name}"', written(part))
                continue
            section = sections.get(part.kind.replace(" ", "_"))
            if section is None:
                self.problems.append(f'force "{part.name}": kind "{part.kind}" cannot be written to a file')
                continue
            options = {key: value for key, value in part.options.items() if key != "law"} | part.options.get("law", {})
            made.setdefault(section, {})[part.name] = self._force(FORCES[section], part.name, options)
        return {section: made[section] for section in (*FORCES, "rotors") if section in made}

    def _force(self, table: type[Element], name: str, options: Mapping[str, Any]) -> dict[str, Any]:
        """Write the options that differ from the defaults of the method."""
        defaults = inspect.signature(getattr(Mechanism, table.method)).parameters
        made: dict[str, Any] = {}
        for key, info in table.model_fields.items():
            value = options.get(key)
            default = defaults[key].default if key in defaults else None
            if value is None or (isinstance(value, bool | int | float | str) and value == default):
                continue
            plain = self._plain(f'force "{name}": {key}', value)
            is_function = any(isinstance(m, PythonObject) for m in info.metadata) and isinstance(plain, dict)
            if plain != {}:
                made[info.alias or key] = plain["python"] if is_function else plain
        unknown = [key for key, value in options.items() if key not in table.model_fields and value is not None]
        self.problems += [f'force "{name}": "{key}" cannot be written to a file' for key in unknown]
        return made

    def _output(self, name: str) -> Any:
        part = self.mechanism.outputs[name]
        of = f"support:{part.of}" if part.kind == "support" else part.of
        return of if part.motion == "position" else {"of": of, "motion": part.motion}

    def _formulation(self) -> dict[str, Any]:
        chosen = self.mechanism.formulation
        return {f.name: getattr(chosen, f.name) for f in fields(chosen) if getattr(chosen, f.name) != f.default}

    def _plain(self, where: str, value: Any) -> Any:
        """Return a value as TOML has it: numbers, texts, lists, tables."""
        if isinstance(value, Reference):
            return {"python": value.reference}
        if isinstance(value, np.ndarray | np.generic):
            return value.tolist()
        if isinstance(value, Mapping):
            return {str(key): self._plain(where, inside) for key, inside in value.items() if inside is not None}
        if isinstance(value, list | tuple):
            return [self._plain(where, item) for item in value]
        if callable(value) or not isinstance(value, bool | int | float | str):
            self.problems.append(f"{where}: {value!r} cannot be written; a function must come from a model file")
            return 0.0
        return value


def _given(**options: Any) -> dict[str, Any]:
    """Return the options that are not None, arrays as lists."""
    return {key: _listed(value) for key, value in options.items() if value is not None}


def _listed(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.tolist()
    return {key: _listed(v) for key, v in value.items()} if isinstance(value, dict) else value


def _link(link: Link) -> dict[str, Any]:
    if link.kind == "distance":
        return _given(kind="distance", points=list(link.points), length=link.value)
    if link.kind == "body":
        return _given(kind="body", point=link.points[0], body=link.body)
    if link.kind == "weighted":
        return _given(kind="weighted", point=link.points[0], weights=link.weights)
    direction = {"axis" if link.kind == "line" else "normal": link.axis}
    body = None if link.body == GROUND else link.body
    return _given(kind=link.kind, point=link.points[0], through=link.points[1], body=body, **direction)


def _coordinate(number: Coordinate) -> dict[str, Any]:
    kind = "angle" if number.angular else "displacement"
    return _given(kind=kind, inertia=number.inertia, value=number.value or None, rate=number.rate or None)


def _measure(part: MeasurePart) -> dict[str, Any]:
    if part.kind == "displacement":
        origin = part.of[1] if len(part.of) == 2 else None
        body = None if part.options["body"] == GROUND else part.options["body"]
        return _given(kind="displacement", point=part.of[0], origin=origin, along=part.axis, body=body)
    key = "points" if part.kind == "distance" else "bodies"
    reference = part.options.get("reference")
    return _given(kind=part.kind, axis=part.axis, reference=reference, **{key: list(part.of)})
