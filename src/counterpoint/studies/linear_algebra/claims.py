"""What chapters 3 and 4 say of linear algebra in multibody dynamics, beside what comes out today."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import inf

from ... import _core
from ..claims import TIMED, Claim
from .holding import SECONDS, Outcome
from .measuring import Point
from .operations import Fill, Operation, Shares
from .solvers import OURS
from .threads import Threaded

NOT_HERE = "Not installed here."
GENERIC = "The generic library of the source was uBLAS of 2009; Eigen is used here."
PRINTED_RATIOS = (269.0, 74.0, 3.0)
PRINTED_BOUNDS = {6: 1.35, 20: 1.53, 50: 1.52}
CORE = tuple(name for name in _core.multibody.solver_names() if name != "automatic")
"""Solvers that a simulation can take."""
SCATTER = 0.2
"""Relative change of errors that another processor's rounding may make: it grows in singular positions."""
GENERAL = tuple(name for name in CORE if name != "dense-llt")
"""Those that stiffness of any sign cannot stop: what ``auto`` chooses from."""


def operation_claims(found: Sequence[Operation]) -> Iterator[Claim]:
    """Yield the three ratios of Table 3.2."""
    for operation, printed in zip(found, PRINTED_RATIOS, strict=True):
        yield Claim.above(
            f"Table 3.2: {operation.name}, {printed:g} times faster with its places known; here more than 1.5 times",
            1.5, operation.ratio, unit="1", origin="derived", spread=TIMED, remark=GENERIC, reason=GENERIC,
        )  # fmt: skip


def _ratio(point: Point, slow: Sequence[str], fast: Sequence[str]) -> float | None:
    """Return the time of the best of `slow` in times of the best of `fast`; None where one is missing."""
    if not any(name in point.factor for name in slow) or not any(name in point.factor for name in fast):
        return None
    return point.step(point.best(slow)) / point.step(point.best(fast))


def solver_claims(chain: dict[int, Point], filled: Sequence[Point]) -> Iterator[Claim]:
    """Yield what sections 3.4 and 3.5 say of solvers, for the chain and for N = 100 with more entries."""
    sparse = ("static-ldlt", "static-lu", "sparse-ldlt", "CHOLMOD simplicial", "KLU", "klu")
    dense = ("dense-llt", "dense-ldlt", "LAPACK dpotrf")
    for size, printed in ((10, 1.5), (50, 5.0)):
        yield Claim.above(
            f"Section 3.5: sparse faster than dense at {size} unknowns, {printed:g} times in whole steps", 1.0,
            _ratio(chain[size], dense, sparse), unit="1", origin="derived", spread=TIMED,
            remark="Factorisation and solutions only.",
        )  # fmt: skip
    largest = chain[max(chain)]
    yield Claim.above(
        f"Section 3.4.2: KLU and CHOLMOD lead; SuperLU takes so many times longer, N = {largest.size}",
        1.0, _ratio(largest, ("SuperLU",), ("KLU", "klu", "CHOLMOD simplicial")), unit="1", origin="derived",
        spread=TIMED, remark="" if "KLU" in largest.factor else NOT_HERE,
    )  # fmt: skip
    yield Claim.near(
        "Section 3.4.2: new pivots at each factorisation cost KLU 50 % more", 1.5,
        _ratio(largest, ("klu-factor",), ("klu",)), relative=0.5, unit="1", origin="printed", spread=TIMED,
        remark="" if "klu" in largest.factor else "This build has no KLU.", reason="Of factorisation and solutions.",
    )  # fmt: skip
    yield Claim.above(
        f"Ours: a fixed pattern (static-ldlt) against the best library at {largest.size} unknowns", 1.0,
        _ratio(largest, ("KLU", "klu", "CHOLMOD simplicial", "sparse-ldlt", "SuperLU", "LAPACK dpbtrf"), (OURS,)),
        unit="1", origin="ours", spread=TIMED,
    )  # fmt: skip
    full = max(filled, key=lambda point: point.per_row)
    yield Claim.above(
        "Section 3.5: CHOLMOD faster than the best dense solver with 100 % of entries at 100 unknowns", 1.0,
        _ratio(full, dense, ("CHOLMOD simplicial", "CHOLMOD supernodal")), unit="1", origin="derived", spread=TIMED,
        reason="Dense kernels have gained more from wide registers than sparse ones; the source timed whole steps, "
        "with a Jacobian that stays sparse.", remark="" if "CHOLMOD simplicial" in full.factor else NOT_HERE,
    )  # fmt: skip


def threaded_claims(points: Sequence[Point]) -> Iterator[Claim]:
    """Yield what section 4.3 says of Pardiso."""
    threaded, largest = "Pardiso, 2 threads", max(point.size for point in points)
    there = sorted((p for p in points if p.size == largest), key=lambda p: p.per_row)
    missing = "" if any(threaded in p.factor for p in there) else NOT_HERE
    others = [name for name in there[0].factor if name != threaded]
    for point, bound, words in (
        (there[0], 1.0, "not competitive at NNZ/N = 6"),
        (there[-1], inf, "faster at NNZ/N = 50"),
    ):
        ratio = _ratio(point, others, (threaded,))
        claim = f"Figure 4.4: threaded Pardiso {words}, N = {largest}: speed-up against the best sequential solver"
        if bound == inf:
            yield Claim.above(claim, 1.0, ratio, unit="1", origin="derived", spread=TIMED, remark=missing,
                              reason="Two threads had to wait for other work on this machine; the sequential solvers "
                              "are of today, too.")  # fmt: skip
        else:
            yield Claim.below(claim, bound, ratio, unit="1", origin="derived", spread=TIMED, remark=missing)


def step_claims(found: Sequence[Shares]) -> Iterator[Claim]:
    """Yield shares of a step, Amdahl's bound, and that the cost of a step is proportional to the size."""
    for share in found:
        yield Claim.near(
            f"Table 4.1: share of factorisation and back-substitutions, N = {share.size}",
            0.54, share.solver, relative=0.5, unit="1", origin="printed", spread=TIMED,
            reason="Ours is a solver for one pattern, and one iteration a step.",
        )  # fmt: skip
    last = found[-1]
    yield Claim.near(
        f"Table 4.3: bound of the speed-up with two processors in the solver only, NNZ/N = 6, N = {last.size}",
        PRINTED_BOUNDS[6], last.bound(), relative=0.25, unit="1", origin="printed", spread=TIMED,
        remark="From the measured share, by Amdahl's law.",
    )  # fmt: skip
    cost = [share.step / share.size for share in found]
    yield Claim.below(
        "Ours: time of a step per variable, largest against smallest over the sizes", 1.15, max(cost) / min(cost),
        unit="1", origin="ours", spread=TIMED,
        reason="Data of long chains do not fit into the first caches; a hand-written step grows, too.",
    )  # fmt: skip


def speed_up_claims(found: Sequence[Threaded]) -> Iterator[Claim]:
    """Yield what two threads make of whole steps: faster where they are used, and never slower."""
    largest = found[-1]
    yield Claim.above(
        f"Ours: two threads against one, whole steps, N = {largest.size}", 1.5 if largest.size >= 8000 else 0.95,
        largest.speed_up, unit="1", origin="ours", spread=TIMED,
        remark=f"Two copies in processes of their own reach {largest.machine:.2f} here.",
        reason="Both processors must be free: threads wait for each other.",
    )  # fmt: skip
    least = min(found, key=lambda t: t.speed_up)
    yield Claim.above(
        "Ours: two threads are never slower than one; least speed-up over the sizes", 0.95, least.speed_up, unit="1",
        origin="ours", spread=TIMED, remark=f"At N = {least.size}.",
        reason="Both processors must be free: threads wait for each other.",
    )  # fmt: skip


def automatic_claim(points: Sequence[Point]) -> Claim:
    """Return how much slower the choice of ``auto`` is than the best fixed choice, at worst."""
    worst = max(points, key=_loss)
    best = worst.best(GENERAL)
    return Claim.below(
        'Ours: solver = "auto" against the best fixed choice, largest ratio over all sizes and fills',
        1.15, _loss(worst),
        unit="1", origin="ours", spread=TIMED,
        remark=f"At N = {worst.size}, NNZ/N = {worst.per_row:.1f}: {worst.automatic} against {best}. Without "
        "dense-llt, which fails where negative stiffness makes a matrix indefinite.",
    )  # fmt: skip


def _loss(point: Point) -> float:
    return point.step(point.automatic) / point.step(point.best(GENERAL))


def fill_claims(found: Sequence[Fill]) -> Iterator[Claim]:
    """Yield how little a factorisation adds to the entries of a matrix."""
    for fill in found:
        yield Claim.below(
            f"Ours: entries of the factor (static-ldlt) for one of the matrix, N = {fill.size}, "
            f"NNZ/N = {fill.per_row:.1f}", 1.5, fill.ratio, unit="1", origin="ours",
        )  # fmt: skip


def holding_claims(found: dict[str, dict[int, Outcome]]) -> Iterator[Claim]:
    """Yield that every formulation but the printed one passes the singular positions."""
    for name, outcomes in found.items():
        worst = max(outcome.error for outcome in outcomes.values())
        if "printed" in name:
            ends = min(outcome.failed_at for outcome in outcomes.values())
            yield Claim.below(f"Ours: {name} fails on long chains; first failure", SECONDS, ends, unit="s",
                              origin="ours", spread=SCATTER,
                              remark="Carried multipliers grow where an iteration leaves more than half.")  # fmt: skip
        else:
            yield Claim.below(f"Ours: {name} holds for {SECONDS} s on every chain; largest error of B0", 0.02, worst,
                              unit="m", origin="ours", spread=SCATTER)  # fmt: skip
