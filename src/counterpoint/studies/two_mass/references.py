"""Numbers of independent programs for the same algorithms: not printed, but what a repetition must meet.

Two programs that share no code with Counterpoint were written from the published algorithm and agree to 1e-6.
Key: frequency ratio and scheme; values: position error dx of x1, equation (7), for the orders 0, 1, 2, ...
"""

from __future__ import annotations

from ..claims import Claim, Note
from .experiment import Case, Driver
from .measures import Measures

EMBEDDED: dict[tuple[float, str], tuple[float, ...]] = {
    (2.0, "slowest-first"): (8.7699e-4, 1.2358e-3, 1.1754e-3, 1.1749e-3, 1.1750e-3),
    (2.0, "fastest-first"): (2.1175e-3, 1.2826e-3, 1.1739e-3, 1.1748e-3, 1.1751e-3),
    (5.0, "slowest-first"): (1.1923e-3, 1.5381e-3, 1.1853e-3, 1.1860e-3, 1.1859e-3),
    (5.0, "fastest-first"): (1.0395e-2, 1.9453e-3, 1.1885e-3, 1.1915e-3, 1.1907e-3),
    (10.0, "slowest-first"): (2.4403e-3, 2.5115e-3, 1.6360e-3, 1.7055e-3, 1.6691e-3),
    (10.0, "fastest-first"): (3.8649e-2, 4.5731e-3, 1.5947e-3, 2.0894e-3, 2.0987e-3),
    (20.0, "slowest-first"): (6.3494e-3, 7.0725e-3, 7.6447e-3, 1.0515e-2, 8.6986e-3),
    (20.0, "fastest-first"): (1.2452e-1, 2.4687e-2, 7.7334e-3, 9.6402e-3, 1.3616e-2),
    (30.0, "slowest-first"): (1.8688e-2, 2.1867e-2, 2.0070e-2, 3.4338e-2, 3.7799e-2),
    (30.0, "fastest-first"): (2.2272e-1, 7.9399e-2, 6.3930e-2, 4.0917e-2, 2.9232e-2),
    (40.0, "slowest-first"): (4.4614e-2, 5.4903e-2, 5.1927e-2, 6.9142e-2, 7.8904e-2),
    (40.0, "fastest-first"): (3.2783e-1, 8.9642e-2, 1.0491e-1, 1.7255e-1, 3.7106e-1),
    (60.0, "slowest-first"): (1.2681e-1, 1.4229e-1, 3.4026e-1, 3.7666e-1, 2.4215e0),
    (60.0, "fastest-first"): (5.6319e-1, 1.4466e-1, 1.0502e-1, 7.3569e-2, 6.1762e-2),
    (90.0, "slowest-first"): (9.8206e-1, 2.0323e0, 3.9475e0, 3.6649e0, 1.1196e1),
    (90.0, "fastest-first"): (2.7236e0, 1.9428e-1, 1.0190e-1, 5.9355e-1, 1.3194e0),
}
"""The host calls the interface at every stage of ode4."""

PRECEDENCE: dict[tuple[float, str], tuple[float, ...]] = {
    (5.0, "slowest-first"): (8.4017e-4, 1.5381e-3, 1.1853e-3, 1.1860e-3),
    (5.0, "fastest-first"): (9.7240e-3, 1.8868e-3, 1.1878e-3, 1.1909e-3),
    (5.0, "parallel"): (1.9841e-2, 2.4258e-3, 1.1928e-3, 1.1933e-3),
    (10.0, "slowest-first"): (1.7563e-3, 2.5115e-3, 1.6360e-3, 1.7055e-3),
    (10.0, "fastest-first"): (3.7653e-2, 4.4235e-3, 1.5743e-3, 2.0678e-3),
    (10.0, "parallel"): (6.4478e-2, 7.2134e-3, 1.8911e-3, 2.1623e-3),
    (20.0, "slowest-first"): (5.3605e-3, 7.0725e-3, 7.6447e-3, 1.0515e-2),
    (20.0, "fastest-first"): (1.2343e-1, 2.3998e-2, 7.3710e-3, 9.5063e-3),
    (20.0, "parallel"): (1.9655e-1, 6.6396e-2, 1.0749e-2, 9.9463e-3),
    (40.0, "slowest-first"): (4.4093e-2, 5.4903e-2, 5.1927e-2, 6.9142e-2),
    (40.0, "fastest-first"): (3.2746e-1, 8.9308e-2, 1.0391e-1, 1.6871e-1),
    (40.0, "parallel"): (3.8293e-1, 1.0104e0, 5.8796e-1, 6.2329e-2),
}
"""The scheduler with the precedence rule, whose interpolants are frozen within a step."""

ENERGY: dict[tuple[float, str], tuple[float, ...]] = {
    (10.0, "slowest-first"): (3.415e-3, 8.701e-5, 8.288e-5, 8.988e-5, 8.654e-5),
    (40.0, "fastest-first"): (0.2735, 0.0977, 0.3591, 1.611, 9.934),
}
"""Energy error dE, equation (8), of the embedded runs; given to three or four digits."""

RELATIVE_ENERGY = {"slowest-first": 2e-3, "fastest-first": 3e-2}
"""With fastest-first the slow mass ends a step behind: the programs extend its motion, here that does not count."""

SMOOTHING: dict[tuple[int, int], float] = {(3, 0): 0.131, (3, 5): 0.141, (4, 7): 0.110}
"""dx at FR = 90 with smoothing, by order and points of the least-squares polynomial (0: interpolation)."""

RELATIVE, RELATIVE_UNSTABLE, RELATIVE_PRECEDENCE, RELATIVE_DIGITS = 1e-4, 1e-2, 1e-3, 2e-2
"""Allowed deviations: stable runs; runs that amplify rounding; the scheduler; numbers given to two digits."""


INDEPENDENT: Note = {"origin": "derived", "reason": "Two independent programs agree on the other number."}


def cases() -> list[Case]:
    """Return every case with a reference number."""
    found = [Case(fr, s, order) for (fr, s), values in EMBEDDED.items() for order in range(len(values))]
    found += [
        Case(fr, s, order, driver=Driver.PRECEDENCE)
        for (fr, s), values in PRECEDENCE.items()
        for order in range(len(values))
    ]
    return found + [smoothed(order, points) for order, points in SMOOTHING]


def smoothed(order: int, points: int) -> Case:
    """Return the smoothing case at FR = 90."""
    return Case(90.0, "fastest-first", order, smoothing=True, points=points)


def tolerance(frequency_ratio: float, published: float) -> float:
    """Return the relative deviation allowed to an embedded run: wide where rounding is amplified."""
    return RELATIVE if frequency_ratio <= 60 and published <= 1 else RELATIVE_UNSTABLE


def reference_claims(results: dict[Case, Measures]) -> list[Claim]:
    """Compare runs with every reference number."""
    rows = []
    for (fr, scheme), values in EMBEDDED.items():
        for order, value in enumerate(values):
            name = f"reference, embedded interface: dx, FR = {fr:g}, {scheme}, order {order}"
            ours = results[Case(fr, scheme, order)].dx
            rows.append(Claim.near(name, value, ours, relative=tolerance(fr, value), **INDEPENDENT))
    for (fr, scheme), values in ENERGY.items():
        for order, value in enumerate(values):
            name = f"reference, embedded interface: dE, FR = {fr:g}, {scheme}, order {order}"
            ours = results[Case(fr, scheme, order)].dE
            relative = RELATIVE_ENERGY[scheme]
            rows.append(Claim.near(name, value, ours, relative=relative, **INDEPENDENT))
    for (fr, scheme), values in PRECEDENCE.items():
        for order, value in enumerate(values):
            name = f"reference, precedence rule: dx, FR = {fr:g}, {scheme}, order {order}"
            ours = results[Case(fr, scheme, order, driver=Driver.PRECEDENCE)].dx
            rows.append(Claim.near(name, value, ours, relative=RELATIVE_PRECEDENCE, **INDEPENDENT))
    return rows + _variant_references(results)


def _variant_references(results: dict[Case, Measures]) -> list[Claim]:
    rows = []
    for (order, points), value in SMOOTHING.items():
        fit = f"least squares over {points} points" if points else "interpolation"
        name = f"reference, smoothing: dx, FR = 90, order {order}, {fit}"
        rows.append(
            Claim.near(name, value, results[smoothed(order, points)].dx, relative=RELATIVE_DIGITS, **INDEPENDENT)
        )
    return rows
