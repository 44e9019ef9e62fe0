"""The verdict: what the indicators and the estimated error say in words, with the reason and the remedy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isfinite, isnan, nan
from typing import TYPE_CHECKING, Literal

import numpy as np

from .difference import Difference, Motion, growth
from .indicators import ConnectionIndicator, connection_indicators
from .judged import judged
from .remedies import OTHER_SOLVER, remedy
from .second_run import SecondRun

if TYPE_CHECKING:
    import pandas as pd

    from ..results.bonds import BondEnergy
    from ..results.result import Result
    from ..results.store import WindowSummary

Verdict = Literal["trustworthy", "look here", "do not use", "cannot tell"]
Confidence = Literal["high", "medium", "low"]

TOLERANCE = 0.05
"""Estimated relative error below which a run is trustworthy."""
UNUSABLE = 4.0
"""A run whose estimated error is so many times the tolerance is not to be used."""
WRONG_MOTION = 2.0
"""A motion amplified or attenuated by this factor makes a run useless, however small its part of the signal."""
MEANINGLESS = 1.0
"""An output that nothing reads is looked at when its error is so many times its variation: it says nothing then.
Velocities and forces are less accurate than the displacements that are exchanged, which is no reason to mistrust these.
"""
UNCHANGED, VISIBLE = 1e-9, 1e-4
"""Where defects of the second number change signals by less than the first, steps inside a model were not divided."""
GROWN_INSIDE = 100.0
"""An output of a black box that has grown so many times, and still grows, may come from its solver."""
EXPLODED = 1e6
"""A signal that has grown so many times, in a run that could not be finished or repeated, has lost its meaning."""
SURE = 2.0
"""The estimate holds within this factor; nearer to a limit the confidence is medium."""
ENOUGH = 0.1
"""Part of the run that a second run must cover to call it trustworthy."""
NOT_TRIED = '(what usually helps; it was not tried, check="on" tries)'
LARGE_RESIDUAL = 0.1
"""Energy that a bond created or lost, relative to what it exchanged, worth a look."""


@dataclass(frozen=True)
class Quality:
    """How far a run can be trusted.

    Attributes
    ----------
    verdict : str
        ``"trustworthy"`` (the estimated error is below the tolerance), ``"look here"``, ``"do not use"`` (four times
        the tolerance and more, or a motion is amplified or attenuated at least twice) or ``"cannot tell"``.
    confidence : str
        ``"high"``, ``"medium"`` or ``"low"``.
    error : float
        Estimated error of the exchanged signal that is worst: rms over the run, relative to the rms of the signal about
        its mean. NaN where nothing is known.
    tolerance : float
        Below it a run is trustworthy; 0.05 unless :meth:`Result.assess` was told another one.
    worst : str
        The connection that the verdict speaks of; empty when there is none.
    span : tuple of float
        From when to when its error is largest, s.
    reason, remedy : str
        Why, and what would help; the remedy of a trustworthy run is empty.
    connections : tuple of ConnectionIndicator
    differences : tuple of Difference
        Estimated error of each exchanged signal, largest first.
    bonds : tuple of BondEnergy
    second : SecondRun
        What the run was compared with.
    unread : mapping
        Estimated errors of outputs that nothing reads, of subsystems that send others, largest first. They never
        make a verdict worse than *look here*, for what is sent is right.
    """

    verdict: Verdict
    confidence: Confidence
    error: float
    tolerance: float
    worst: str
    span: tuple[float, float]
    reason: str
    remedy: str = ""
    connections: tuple[ConnectionIndicator, ...] = ()
    differences: tuple[Difference, ...] = ()
    bonds: tuple[BondEnergy, ...] = ()
    second: SecondRun = field(default_factory=SecondRun)
    unread: Mapping[str, float] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """The verdict in one or some sentences; also returned by ``str()``."""
        sure = "" if self.verdict == "cannot tell" else f" (confidence: {self.confidence})"
        said = f"{self.verdict}: {self.reason}{sure}."
        return f"{said} To improve it, {self.remedy}." if self.remedy else said

    def __str__(self) -> str:
        return self.text

    @property
    def modes(self) -> pd.DataFrame:
        """Frequency (Hz), relative amplitude and phase lead (rad) at the end of the run of each linearised mode."""
        import pandas as pd

        columns = ["frequency", "amplitude", "phase"]
        found = () if self.second.modes is None else self.second.modes.modes
        return pd.DataFrame([[getattr(mode, c) for c in columns] for mode in found], columns=pd.Index(columns))

    @property
    def margin(self) -> float:
        """How far the spectral radius of one period is below 1; negative: something grows; NaN: not known."""
        return nan if self.second.modes is None else self.second.modes.margin

    @property
    def indicators(self) -> pd.DataFrame:
        """One row per connection: order, defect, estimated error, share and growth of the highest band."""
        import pandas as pd

        errors = {difference.signal: difference.error for difference in self.differences}
        rows = [
            {
                "connection": one.connection,
                "kind": one.kind,
                "approximation": one.approximation,
                "order": one.order,
                "defect": one.defect,
                "error": errors.get(one.source, nan),
                "highest_band": one.oscillation.share,
                "growth": one.oscillation.growth,
                "sampled": one.sampled,
            }
            for one in self.connections
        ]
        columns = ["connection", "kind", "approximation", "order", "defect", "error", "highest_band", "growth"]
        return pd.DataFrame(rows, columns=pd.Index([*columns, "sampled"]))


@np.errstate(over="ignore", invalid="ignore", divide="ignore")  # a damaged file may hold any numbers
def assess(
    result: Result,
    second: SecondRun,
    bonds: Sequence[BondEnergy] = (),
    tolerance: float = TOLERANCE,
    deep: bool = True,
) -> Quality:
    """Assess a run.

    Parameters
    ----------
    result : Result
        The run.
    second : SecondRun
        A better run of the same system, or why there is none.
    bonds : sequence of BondEnergy
        Energy of its bonds.
    tolerance : float
        Relative error below which it is trustworthy.
    deep : bool
        Whether to look at the recorded rows even where nothing but the summary has been read yet.
    """
    connections = list(second.connections) or connection_indicators(result, result.defect_summaries, deep)
    outputs = _declared(result)
    signals = judged(outputs, [] if second.unchecked else [one.source for one in connections])
    differences = second.differences(result, signals)
    others = [f"{name}.{column}" for name, columns in outputs.items() for column in columns]
    unread = second.unread_errors(result, [name for name in others if name not in set(signals)])
    known = Known(result, connections, differences, list(bonds), second, tolerance, unread)
    said = known.by_error() if differences else known.by_indicators()
    return replace(
        said,
        connections=tuple(connections),
        differences=tuple(differences),
        bonds=tuple(bonds),
        second=second,
        unread=unread,
    )


def _declared(result: Result) -> dict[str, list[str]]:
    """Return the outputs of subsystems without what a model calls minor, such as the violation of its constraints."""
    layout = result.layout.subsystems
    found = {entry.name: [column for column in entry.columns if column not in entry.minor] for entry in layout}
    return found if any(found.values()) else {entry.name: list(entry.columns) for entry in layout}


@dataclass(frozen=True)
class Known:
    """Everything that the verdict is made from."""

    result: Result
    connections: list[ConnectionIndicator]
    differences: list[Difference]
    bonds: list[BondEnergy]
    second: SecondRun
    tolerance: float
    unread: Mapping[str, float] = field(default_factory=dict)

    def by_error(self) -> Quality:
        """Return the verdict from the estimated error."""
        worst, motion = self.differences[0], self._wrong_motion()
        error = worst.error
        if self.second.covered < 1 and not worst.from_start:
            error = min(error / self.second.covered, max(error, 1.0))
        verdict = self._class_of(error, motion)
        of = motion[0] if motion is not None and verdict != "trustworthy" else worst
        connection = self._connection_of(of.signal)
        label = of.signal if connection is None else connection.connection
        if verdict == "trustworthy" and self.second.unchecked:
            return self._plain("cannot tell", "low", worst.signal, self._unknown_inside(worst, error), OTHER_SOLVER)
        if verdict == "trustworthy" and self.second.unresolved:
            return self._plain("cannot tell", "low", worst.signal, self._not_sampled(error), self._sample())
        if verdict == "trustworthy" and self._changed_nothing(error):
            return self._plain("cannot tell", "low", worst.signal, self._stubborn(), OTHER_SOLVER)
        if verdict == "trustworthy" and (doubt := self._doubt_inside()):
            return self._plain(
                "cannot tell", "low", worst.signal, f"{self._estimated(error)}; but {doubt}", OTHER_SOLVER
            )
        if verdict == "trustworthy" and self._largest_unread() > MEANINGLESS:
            return replace(self._wrong_unread(worst, error), error=error)
        if verdict == "trustworthy":
            reason, helps = self._trusted(worst, error), ""
        else:
            shown = motion[1] if motion is not None else of.worst_motion
            reason = f"{self._estimated(error)}; {self._described(of, shown, connection)}"
            usual = remedy(self._blamed(connection), shown, of.from_start, of.signal)
            helps = self._sample() or self.second.helps or f"{usual} {NOT_TRIED}"
        return Quality(verdict, self._confidence(error, verdict), error, self.tolerance, label, of.span, reason, helps)

    def _largest_unread(self) -> float:
        return max(self.unread.values(), default=0.0)

    def _wrong_unread(self, worst: Difference, error: float) -> Quality:
        """Return what is said where all that is sent is right, but not an output that nothing reads."""
        name = max(self.unread, key=lambda one: self.unread[one])
        told = (
            f"{self._estimated(error)}, largest in {worst.signal}, of what is sent; but {name}, which nothing reads, "
            f"is wrong by {_percent(self.unread[name])}"
        )
        return self._plain("look here", "high", name, told, f'halve the step of "{name.partition(".")[0]}"')

    def _class_of(self, error: float, motion: tuple[Difference, Motion] | None) -> Verdict:
        if not error <= UNUSABLE * self.tolerance or motion is not None:
            return "do not use"
        if error > self.tolerance:
            return "look here"
        if self.second.covered < ENOUGH:
            return "cannot tell"
        return "look here" if self._not_converged() else "trustworthy"

    def _wrong_motion(self) -> tuple[Difference, Motion] | None:
        """Return a motion that is amplified or attenuated by a factor that makes the run useless."""
        found = [
            (difference, motion)
            for difference in self.differences
            if (motion := difference.worst_motion) is not None and not 1 / WRONG_MOTION < motion.ratio < WRONG_MOTION
        ]
        return max(found, key=lambda pair: pair[1].share, default=None)

    def _confidence(self, error: float, verdict: Verdict) -> Confidence:
        limits = {"trustworthy": [self.tolerance], "do not use": [UNUSABLE * self.tolerance]}
        near = [error / limit for limit in limits.get(verdict, [self.tolerance, UNUSABLE * self.tolerance])]
        sure: Confidence = "medium" if any(1 / SURE < ratio < SURE for ratio in near) else "high"
        if self.second.boxes and verdict == "trustworthy":
            sure = "low" if self.second.inside else "medium"
        return sure if self.second.covered >= 1 else "medium" if self.second.covered >= 0.5 else "low"

    def _estimated(self, error: float) -> str:
        return f"estimated error {_percent(error)}, from {self.second.text}"

    def _trusted(self, worst: Difference, error: float) -> str:
        told = f"{self._estimated(error)}, largest in {worst.signal}"
        if self.second.boxes:
            told += (
                f"; this is the error of the coupling: the solvers inside {_quoted(self.second.boxes)} were not "
                "examined, and what they do wrong with any communication step is not in it"
            )
            told += f"; {self.second.inside}" if self.second.inside else ""
        if self._largest_unread() > self.tolerance:
            name = max(self.unread, key=lambda one: self.unread[one])
            told += f"; {name}, which nothing reads, is wrong by {_percent(self.unread[name])}"
        held = list(dict.fromkeys(one.source for one in self.connections if one.sampled))
        if held:
            told += f"; {', '.join(held)} "
            told += (
                "counts as sampled: holding it is its meaning"
                if len(held) == 1
                else ("count as sampled: holding them is their meaning")
            )
        return told + self._energy()

    def _unknown_inside(self, worst: Difference, error: float) -> str:
        changed = "nothing" if error == 0 else f"{worst.signal} by {100 * error:.2g} % at most"
        return (
            f"only the coupling was checked, and there is none: {self.second.text} changed {changed}; the error of the "
            f"solver inside {_quoted(self.second.unchecked)} is not known"
        )

    def _not_sampled(self, error: float) -> str:
        return (
            f"{_quoted(self.second.unresolved)} changes faster than a quarter of its step, so that no run has seen "
            f"what it is: they differ by {_percent(error)}, whatever it does in between"
        )

    def _sample(self) -> str:
        """Return what helps where a source is not resolved; empty where all are."""
        return f"reduce the step of {_quoted(self.second.unresolved)}" if self.second.unresolved else ""

    def _changed_nothing(self, error: float) -> bool:
        """Whether smaller steps were ignored: what the inputs are wrong by would otherwise have changed something."""
        assumed = [one.defect for one in self.connections if one.target.partition(".")[0] in self.second.boxes]
        return error < UNCHANGED and max((one for one in assumed if isfinite(one)), default=0.0) > VISIBLE

    def _doubt_inside(self) -> str:
        """Return why a solver inside a black box may be unstable; empty: nothing speaks for it."""
        if self.second.unstable_inside:
            return self.second.inside
        of_boxes = [name for name in self.result.signals if name.partition(".")[0] in self.second.boxes]
        found = {name: growth(np.asarray(self.result.signal(name).values)) for name in of_boxes}
        name = max(found, key=lambda one: found[one], default="")
        if found.get(name, 0.0) > GROWN_INSIDE:
            return (
                f"{name} has grown {found[name]:.2g} times over the second half of the run, and smaller communication "
                "steps do not tell whether the model does that or the solver inside"
            )
        parasitic = [one for one in self.connections if one.source in set(of_boxes) and one.oscillation.is_parasitic]
        if parasitic:
            return (
                f"{parasitic[0].source} has an oscillation from step to step that has grown "
                f"{parasitic[0].oscillation.growth:.2g} times, which smaller communication steps do not change: it may "
                "come from the solver inside"
            )
        return ""

    def _stubborn(self) -> str:
        return (
            f"{self.second.text} changed nothing, although inputs are wrong between their samples: the solvers inside "
            f"{_quoted(self.second.boxes)} make steps of their own that are no smaller, and their error is not known"
        )

    def _described(self, difference: Difference, motion: Motion | None, connection: ConnectionIndicator | None) -> str:
        label = connection.connection if connection is not None else difference.signal
        begin, end = difference.span
        where = f"{label}, t = {begin:.3g} to {end:.3g} s"
        what = motion.text() if motion is not None else f"its error is {_percent(difference.error)}"
        if connection is not None and connection.starts_wrong and difference.from_start:
            what += "; the error was made in the first steps, where one sample is all that is known"
        return f"{where}: {what}{self._mode()}{self._energy()}{self._windows()}"

    def _mode(self) -> str:
        """Say what the coupling does to the linearised system."""
        worst = None if self.second.modes is None else self.second.modes.worst
        return "" if worst is None else f"; in the system linearised at its start, {worst.text()}"

    def _energy(self) -> str:
        known = [bond for bond in self.bonds if isfinite(bond.relative)]
        if not known:
            return ""
        bond = max(known, key=lambda one: abs(one.relative))
        verb = "created" if bond.residual >= 0 else "lost"
        return (
            f"; bond {bond.bond}: the coupling {verb} {abs(bond.residual):.2g} J of {bond.exchanged:.2g} J exchanged "
            f"({100 * abs(bond.relative):.2g} %)"
        )

    def _not_converged(self) -> WindowSummary | None:
        windows = self.result.summary.windows
        return windows if windows is not None and windows.not_converged + windows.growing else None

    def _windows(self) -> str:
        windows = self._not_converged()
        if windows is None:
            return ""
        if windows.growing:
            return (
                f"; {windows.growing} of {windows.count} windows were changed more and more by their repeats; use "
                "shorter windows or an acceleration"
            )
        return (
            f"; {windows.not_converged} of {windows.count} windows did not converge to {windows.tolerance:.2g} with "
            f"{windows.repeats} repeats (worst {windows.largest_change:.2g}, window that ends at "
            f"t = {windows.time_of_largest:.6g} s); use more repeats, shorter windows or a larger tolerance"
        )

    def _blamed(self, connection: ConnectionIndicator | None) -> ConnectionIndicator | None:
        """Return a connection whose slower side may get another step: that of a sampled one belongs to the model."""
        if connection is None or connection.slower not in self.second.sampled:
            return connection
        ends = (connection.source, connection.target)
        other = [name for end in ends if (name := end.partition(".")[0]) not in self.second.sampled]
        return replace(connection, slower=other[0]) if other else None

    def _connection_of(self, signal: str) -> ConnectionIndicator | None:
        """Return a connection of the signal, rather one that extrapolates."""
        found = [one for one in self.connections if one.source == signal]
        return max(found, key=lambda one: (one.kind == "extrapolates", one.step), default=None)

    def by_indicators(self) -> Quality:
        """Return what can be said without a second run: that something is wrong, never that all is well."""
        why = self.second.reason or "the models are not at hand to run them a second time"
        if self.second.modes is not None and (mode := self.second.modes.worst) is not None:
            told = f"in the system linearised at its start, {mode.text()}; the error was not estimated: {why}"
            wrong = not 1 / WRONG_MOTION < mode.amplitude < WRONG_MOTION
            return self._plain("do not use" if wrong else "look here", "medium", "", told, remedy(None, None, False))
        if grown := self._grown():
            name, times = grown
            told = f"{name} has grown {times:.2g} times over the second half of what is known; {why}"
            return self._plain("do not use", "high", name, told, self._of_grown(name))
        growing = [one for one in self.connections if one.oscillation.is_parasitic]
        if growing:
            worst = max(growing, key=lambda one: one.oscillation.growth)
            told = (
                f"{worst.connection}: an oscillation near {worst.oscillation.frequency:.3g} Hz, the highest frequency "
                f"that the slower side resolves, has grown {worst.oscillation.growth:.2g} times and is now "
                f"{100 * worst.oscillation.share:.2g} % of the signal; the error was not estimated: {why}"
            )
            return self._plain("do not use", "medium", worst.connection, told, remedy(worst, None, False))
        energy = max((abs(bond.relative) for bond in self.bonds if isfinite(bond.relative)), default=0.0)
        compared = [one for one in self.connections if not isnan(one.defect)]
        largest = max(compared, key=lambda one: one.defect, default=None)
        told = f"the error was not estimated: {why}{self._defect_text(largest)}{self._energy()}{self._windows()}"
        name = "" if largest is None else largest.connection
        if (
            energy > LARGE_RESIDUAL
            or self._not_converged()
            or (largest is not None and largest.defect > self.tolerance)
        ):
            return self._plain("look here", "low", name, told, remedy(largest, None, False))
        again = "read result.quality right after a run, or compare with a run with half the steps"
        return self._plain("cannot tell", "low", name, told, self.second.remedy or again)

    def _grown(self) -> tuple[str, float] | None:
        """Return the signal that has grown most, where one has grown beyond all measure in a run that has no other.

        It is asked of runs that failed, or whose repetition did: where that is because a number was infinite, what was
        published before is as wrong.
        """
        if self.result.status != "failed" and not self.second.failed:
            return None
        found = {name: growth(np.asarray(self.result.signal(name).values)) for name in self.result.signals}
        name = max(found, key=lambda one: found[one], default="")
        return (name, found[name]) if found.get(name, 0.0) > EXPLODED else None

    def _of_grown(self, name: str) -> str:
        connection = self._connection_of(name)
        return remedy(connection, None, False) if connection else f'halve the step of "{name.partition(".")[0]}"'

    def _defect_text(self, largest: ConnectionIndicator | None) -> str:
        if largest is None:
            return "; no interface defect is known" if self.connections else "; nothing is connected"
        if not isfinite(largest.defect):
            return f"; {largest.connection} has a defect on a constant signal"
        return f"; the largest interface defect is {100 * largest.defect:.2g} % of its signal, of {largest.connection}"

    def _plain(self, verdict: Verdict, confidence: Confidence, worst: str, reason: str, helps: str) -> Quality:
        span = (self.result.start, self.result.end)
        return Quality(verdict, confidence, nan, self.tolerance, worst, span, reason, helps)


def _quoted(names: Sequence[str]) -> str:
    return ", ".join(f'"{name}"' for name in names)


def _percent(error: float) -> str:
    return f"{100 * error:.2g} %" if isfinite(error) and error < 10 else "more than 1000 %"
