"""Steps of FMUs: what they suggest, and what they accept."""

from __future__ import annotations

import math
from collections.abc import Iterator

from .description import Interface, ModelDescription

TYPICAL_STEP = 1e-2
"""Step in s of a variable-step solver if the FMU suggests none; used to rank subsystems before the run."""
STEPS_OF_AN_EXPERIMENT = 500
"""Steps of the default experiment of an FMU that suggests no step."""


def suggested_step(description: ModelDescription, able: Interface) -> float | None:
    """Return the step in s that an FMU suggests, or some hundredth of its default experiment; None: it has none."""
    experiment = description.experiment
    if experiment.step or able.fixed_internal_step:
        return experiment.step or able.fixed_internal_step
    span = (experiment.stop or 0.0) - (experiment.start or 0.0)
    if not span > 0.0 or not math.isfinite(span):
        return None
    share = span / STEPS_OF_AN_EXPERIMENT
    return round_step(share) if able.variable_steps else share  # equal steps have to end with the experiment


def round_step(step: float) -> float:
    """Return the largest of 1, 2 or 5 times a power of ten that is not longer than a step, in s.

    >>> round_step(0.07), round_step(2e-3)
    (0.05, 0.002)
    """
    power = 10.0 ** math.floor(math.log10(step) + 1e-9)
    factor = next(k for k in (5.0, 2.0, 1.0) if k * power <= step * (1.0 + 1e-9) or k == 1.0)
    return float(f"{factor * power:.3g}")


def step_problems(able: Interface, step: float, span: float) -> Iterator[str]:
    """Yield the reasons why an FMU for co-simulation cannot run with a step over a time span, both in s."""
    inner = able.fixed_internal_step
    if inner is not None and not _is_multiple(step, inner):
        near = max(round(step / inner), 1) * inner
        yield f"{step:g} s is not a multiple of the FMU's fixed internal step, {inner:g} s; use {near:g} s"
    if not able.variable_steps and math.isfinite(span) and not _is_multiple(span, step):
        yield (
            f"the run of {span:g} s is not a multiple of the step {step:g} s, and this FMU needs equal steps; "
            f"use a run of {max(round(span / step), 1) * step:g} s"
        )


def fitting_end(able: Interface, start: float, until: float, step: float | None) -> float:
    """Return the end of a run in s: ``until``, or the next one in whole steps if the FMU needs equal ones."""
    span = until - start
    if able.variable_steps or step is None or not 0.0 < span < math.inf or _is_multiple(span, step):
        return until
    return float(f"{start + math.ceil(span / step) * step:.12g}")


def _is_multiple(value: float, of: float) -> bool:
    count = value / of
    return round(count) >= 1 and abs(count - round(count)) <= 1e-6 * max(count, 1.0)
