"""State machines as a user builds them: states, transitions, actions, all kept as text."""

from __future__ import annotations

from ..errors import SetupError, did_you_mean
from .block import Block


class StateMachine(Block):
    """A state machine in a diagram; made by :meth:`Diagram.state_machine`.

    States and transitions are added one by one; the first state is the initial one. All of it is kept as text in
    ``texts["machine"]``, which can also be given as a whole.
    """

    @property
    def states(self) -> list[str]:
        """Names of the states; the output ``state`` is the place in this list, counted from 0."""
        lines = self.texts.get("machine", "").splitlines()
        return [line.strip().removeprefix("state ").strip() for line in lines if line.strip().startswith("state ")]

    def state(self, name: str, *, entry: str = "", during: str = "", exit: str = "") -> StateMachine:
        """Add a state and return the machine.

        Parameters
        ----------
        name : str
        entry, during, exit : str
            Actions, ``"heater = 1; count = count + 1"``: when the state is entered, at each instant that is looked at
            without leaving it (every step, or every sample), and when it is left.
        """
        if name in self.states:
            raise SetupError(f'state machine "{self.name}": state "{name}" already exists')
        if not name.isidentifier():
            raise SetupError(f'state machine "{self.name}": "{name}" is not a valid name of a state; use a word')
        lines = [f"state {name}"]
        actions = {"entry": entry, "during": during, "exit": exit}
        lines += [f"{kind}: {_line(action)}" for kind, action in actions.items() if action]
        return self._write([*self.texts.get("machine", "").splitlines(), *lines])

    def transition(self, source: str, target: str, guard: str, *, action: str = "") -> StateMachine:
        """Add a transition and return the machine; of several whose guards are true, the one added first is taken.

        Parameters
        ----------
        source, target : str
            States; the target may be added later.
        guard : str
            A condition on inputs, outputs, variables and the time ``t``; ``after(0.5)`` is true when the machine has
            been in this state for 0.5 s.
        action : str
            What is done between leaving the one state and entering the other.
        """
        if source not in self.states:
            raise SetupError(
                f'state machine "{self.name}": no state "{source}" to leave{did_you_mean(source, self.states)}'
            )
        lines = self.texts["machine"].splitlines()
        begin = lines.index(f"state {source}") + 1
        end = next((i for i in range(begin, len(lines)) if lines[i].startswith("state ")), len(lines))
        lines.insert(end, f"{_line(guard)} -> {target}" + (f": {_line(action)}" if action else ""))
        return self._write(lines)

    def _write(self, lines: list[str]) -> StateMachine:
        self.texts["machine"] = "\n".join(lines)
        return self


def _line(text: str) -> str:
    """One line: several statements are separated by semicolons."""
    return "; ".join(part.strip() for part in text.splitlines() if part.strip())
