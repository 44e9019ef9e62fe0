"""A mechanism in words."""

from __future__ import annotations

import io
from html import escape
from typing import TYPE_CHECKING

import numpy as np

from ...errors import CounterpointError

if TYPE_CHECKING:
    from ..assembly.assembly import Assembly
    from ..modelling.mechanism import Mechanism

_MOST_LINES = 12
"""Of a list; longer ones are cut."""


def describe(mechanism: Mechanism) -> str:
    """Return a summary of a mechanism put together, as lines of text.

    Examples
    --------
    >>> from counterpoint.multibody import Mechanism
    >>> pendulum = Mechanism("pendulum", dimension=2)
    >>> pendulum.point("A", (0, 0), fixed=True)
    >>> pendulum.point("B", (1, 0))
    >>> pendulum.body("rod", points=["A", "B"], mass=1.0)
    >>> print(describe(pendulum))
    pendulum: mechanism in the plane, 1 kg, 1 degree of freedom
      1 body: rod
      2 points, 1 fixed
      2 coordinates, 1 equation
    """
    assembly = mechanism.assembled()
    lines = [_headline(assembly), *_parts(mechanism), _sizes(assembly)]
    lines += _freedom(assembly)
    lines += _redundancy(assembly)
    return "\n".join(lines)


def as_html(mechanism: Mechanism) -> str:
    """Return a picture with the summary, for notebooks; a mechanism that cannot be put together shows why."""
    from ..drawing.mechanisms import draw

    try:
        figure, text = draw(mechanism), describe(mechanism)
    except CounterpointError as problem:
        return f"<pre>{escape(mechanism.name)}: {escape(str(problem))}</pre>"
    drawn = io.StringIO()
    figure.savefig(drawn, format="svg")
    picture = drawn.getvalue()
    return f"<div>{picture[picture.index('<svg') :]}<pre>{escape(text)}</pre></div>"


def _count(number: int, word: str, many: str | None = None) -> str:
    return f"{number} {word if number == 1 else many or word + 's'}"


def _freedoms(number: int) -> str:
    return _count(number, "degree of freedom", "degrees of freedom")


def _headline(assembly: Assembly) -> str:
    mechanism = assembly.mechanism
    where = "in the plane" if mechanism.dimension == 2 else "in space"
    mass = sum(body.mass for body in mechanism.bodies.values()) + sum(m.mass for m in mechanism.point_masses)
    return f"{mechanism.name}: mechanism {where}, {mass:.6g} kg, {_freedoms(assembly.degrees_of_freedom)}"


def _parts(mechanism: Mechanism) -> list[str]:
    fixed = sum(point.fixed for point in mechanism.points.values())
    lines = [_names("body", "bodies", list(mechanism.bodies))]
    lines.append(f"  {_count(len(mechanism.points), 'point')}, {fixed} fixed")
    if mechanism.vectors:
        lines.append(f"  {_count(len(mechanism.vectors), 'vector')}")
    kinds = {name: f"{name} ({joint.kind})" for name, joint in mechanism.joints.items()}
    kinds |= {name: f"{name} ({link.kind})" for name, link in mechanism.links.items()}
    tables = (
        ("joint", list(kinds.values())),
        ("measure", [f"{name} ({measure.kind})" for name, measure in mechanism.measures.items()]),
        ("guide", [guide.measure for guide in mechanism.guides]),
        ("relation", list(mechanism.relations)),
        ("force", [f"{name} ({force.kind})" for name, force in mechanism.forces.items()]),
        ("input", list(mechanism.inputs)),
    )
    return lines + [_names(word, word + "s", names) for word, names in tables if names]


def _names(word: str, words: str, names: list[str]) -> str:
    shown = ", ".join(names[:_MOST_LINES]) + (" ..." if len(names) > _MOST_LINES else "")
    return f"  {_count(len(names), word, words)}" + (f": {shown}" if names else "")


def _sizes(assembly: Assembly) -> str:
    return f"  {_count(assembly.free, 'coordinate')}, {_count(assembly.model.equations, 'equation')}"


def _freedom(assembly: Assembly) -> list[str]:
    """Say how degrees of freedom are counted where redundant equations make that surprising."""
    free = assembly.degrees_of_freedom
    difference = assembly.free - assembly.model.equations
    if not assembly.redundant or difference == free:
        return []
    return [
        f"  {assembly.free} - {assembly.model.equations} = {difference}, but {_freedoms(free)}: "
        f"{_count(len(assembly.redundant), 'equation follows', 'equations follow')} from the others in this position"
    ]


def _redundancy(assembly: Assembly) -> list[str]:
    if not assembly.redundant:
        return []
    lines = [f"  redundant: {name}" for name in assembly.redundant[:_MOST_LINES]]
    if len(assembly.redundant) > _MOST_LINES:
        lines.append(f"  ... and {len(assembly.redundant) - _MOST_LINES} more")
    return [*lines, f"  {_advice(assembly)}"]


def _advice(assembly: Assembly) -> str:
    if not _is_redundant_elsewhere(assembly):
        return (
            "These equations are redundant in this position only: it is singular (stretched out or folded), and the "
            "mechanism may continue in two ways; start from another position."
        )
    return (
        "The motion is not affected. But how redundant joints share their reactions depends on elasticity, which "
        "rigid bodies do not have. If you need these reactions, use a joint with more freedom (spherical for "
        "revolute, cylindrical for prismatic)."
    )


def _is_redundant_elsewhere(assembly: Assembly) -> bool:
    """Return whether as many equations are redundant in a position nearby, moved along the free motions."""
    from .of_mechanism import problem_of
    from .tangent_space import TangentSpace

    problem = problem_of(assembly.mechanism)
    space = TangentSpace.at(problem, problem.start)
    if not space.degrees_of_freedom:
        return True
    direction = space.free @ np.random.default_rng(0).standard_normal(space.degrees_of_freedom)
    direction *= 0.02 * assembly.length / max(float(np.abs(direction).max()), 1e-300)
    try:
        there = problem.assembled(problem.state(0.0, problem.start.q + problem.filled(direction), problem.start.v))
    except RuntimeError:
        return False
    equations, _ = problem.model.redundancy(*there.arguments())
    return len(equations) >= len(assembly.redundant)
