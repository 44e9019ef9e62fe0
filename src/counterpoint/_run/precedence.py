"""Which subsystems wait for which. Every explicit scheme is the precedence rule with a different order.

A consumer that waits for a source steps only when the source has gone as far, and interpolates; one
that does not wait extrapolates. Subsystems without inputs (sources) are waited for in every named
scheme: they depend on no other subsystem, so there is nothing to extrapolate.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ..errors import SetupError, did_you_mean
from .feedthrough import find_loop

NAMED_SCHEMES = ("slowest-first", "fastest-first", "parallel", "sequential")


@dataclass(frozen=True)
class Scheme:
    """A rule that says who waits for whom.

    Attributes
    ----------
    name : str
        One of ``slowest-first``, ``fastest-first``, ``parallel``, ``sequential``, ``custom``.
    order : tuple of str
        For ``sequential``: later in the list waits for earlier. Empty: the order of ``System.add``.
    waits : mapping
        For ``custom``: subsystem -> those it waits for.
    """

    name: str
    order: tuple[str, ...] = ()
    waits: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.name


def sequential(order: Sequence[str]) -> Scheme:
    """Return the scheme in which later in the list waits for earlier (Gauss-Seidel).

    >>> sequential(["engine", "chassis"]).order
    ('engine', 'chassis')
    """
    return Scheme("sequential", order=tuple(order))


def custom(waits_for: Mapping[str, Iterable[str]]) -> Scheme:
    """Return a scheme from any acyclic relation: subsystem -> those it waits for.

    >>> custom({"fast": ["slow"]}).waits
    {'fast': ('slow',)}
    """
    return Scheme("custom", waits={name: tuple(others) for name, others in waits_for.items()})


def to_scheme(scheme: str | Scheme) -> Scheme:
    """Return a scheme for a name; raise SetupError for an unknown one."""
    if isinstance(scheme, Scheme):
        return scheme
    if scheme not in NAMED_SCHEMES:
        raise SetupError(f'scheme: no scheme "{scheme}"' + did_you_mean(str(scheme), NAMED_SCHEMES))
    return Scheme(scheme)


def scheme_problems(scheme: Scheme, names: Sequence[str]) -> list[str]:
    """Return what is wrong with a scheme for these subsystems."""
    problems = []
    mentioned = {
        *scheme.order,
        *scheme.waits,
        *(other for others in scheme.waits.values() for other in others),
    }
    for name in sorted(mentioned - set(names)):
        problems.append(f'no subsystem "{name}"' + did_you_mean(name, names))
    if scheme.order and not problems:
        times = Counter(scheme.order)
        problems += [f'"{name}" is missing in the sequential order' for name in names if name not in times]
        problems += [f'"{name}" appears twice in the sequential order' for name in names if times[name] > 1]
    cycle = find_loop({name: list(others) for name, others in scheme.waits.items()})
    if cycle:
        problems.append("these subsystems wait for each other: " + " waits for ".join(f'"{name}"' for name in cycle))
    return problems


def waits_for(
    scheme: Scheme, steps: Mapping[str, float], connected: Iterable[tuple[str, str]], sources: Iterable[str]
) -> dict[str, list[str]]:
    """Return for each subsystem those it waits for.

    Parameters
    ----------
    scheme : Scheme
        The rule.
    steps : mapping
        Subsystem -> its (typical) step in s, in the order of ``System.add``. Equal steps: the later added
        waits for the earlier.
    connected : pairs (source, consumer)
        Waiting matters only between these.
    sources : names
        Subsystems without inputs.

    Examples
    --------
    >>> pairs = [("fast", "slow"), ("slow", "fast")]
    >>> waits_for(Scheme("slowest-first"), {"fast": 0.01, "slow": 0.1}, pairs, [])
    {'fast': ['slow'], 'slow': []}
    """
    places = {name: place for place, name in enumerate(steps)}
    ranks = {name: rank for rank, name in enumerate(scheme.order)} or places
    always = set(sources)
    result: dict[str, list[str]] = {name: [] for name in steps}
    for source, consumer in sorted(set(connected), key=lambda pair: (places[pair[0]], places[pair[1]])):
        named = scheme.name != "custom" and source in always
        if named or _waits(scheme, source, consumer, ranks, steps):
            result[consumer].append(source)
    return result


def _waits(scheme: Scheme, source: str, consumer: str, ranks: Mapping[str, int], steps: Mapping[str, float]) -> bool:
    if scheme.name == "parallel":
        return False
    if scheme.name == "custom":
        return source in scheme.waits.get(consumer, ())
    earlier = ranks[source] < ranks[consumer]
    if scheme.name == "sequential" or steps[source] == steps[consumer]:
        return earlier
    slower = steps[source] > steps[consumer]
    return slower if scheme.name == "slowest-first" else not slower
