"""The serialised state of an FMU, to resume from it in another run."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import SetupError
from .description import Interface, ModelDescription

_FIRST_LINE = b"counterpoint FMU state 1\n"


@dataclass(frozen=True)
class SavedState:
    """A state: whose it is, what the importer remembers (the time in s comes first), and the FMU's own bytes.

    As bytes: a line that says what it is, a line of JSON, the bytes of the FMU.
    """

    token: str
    kind: str
    structure: Mapping[str, int]
    memory: tuple[float, ...]
    fmu: bytes

    @classmethod
    def read(cls, given: bytes | str | os.PathLike[str]) -> SavedState:
        """Return a state from its bytes or a file; raise SetupError if it is invalid or truncated."""
        where = "state" if isinstance(given, bytes) else f"state: {given}"
        try:
            data = given if isinstance(given, bytes) else Path(given).read_bytes()
        except OSError as error:
            raise SetupError(f"{where}: cannot be read: {error.strerror or error}") from None
        first, found, rest = data.partition(b"\n")
        if first + found != _FIRST_LINE:
            raise SetupError(f"{where}: not a state saved by Fmu.save_state()")
        line, _, state = rest.partition(b"\n")
        try:
            header = json.loads(line)
            memory = tuple(float.fromhex(number) for number in header["memory"])
            made = cls(header["token"], header["kind"], header["structure"], memory, state)
            size = int(header["size"])
        except (ValueError, KeyError, TypeError):
            raise SetupError(f"{where}: is damaged") from None
        if len(state) != size:
            raise SetupError(f"{where}: has {len(state)} bytes of the FMU's state; expected {size}")
        return made

    def to_bytes(self) -> bytes:
        """Return it as bytes."""
        header = {
            "token": self.token,
            "kind": self.kind,
            "structure": dict(self.structure),
            "memory": [number.hex() for number in self.memory],
            "size": len(self.fmu),
        }
        return _FIRST_LINE + json.dumps(header).encode() + b"\n" + self.fmu

    def problems(
        self, description: ModelDescription, kind: str, able: Interface, parameters: Mapping[str, Any] | None
    ) -> Iterator[str]:
        """Yield the reasons why a run cannot resume from it."""
        if self.token != description.token:
            yield f"state: belongs to another FMU ({self.token}; this one is {description.token})"
        if self.kind != kind:
            yield f"state: saved in {self.kind}; expected {kind}"
        if not able.can_serialize_state:
            yield "state: this FMU cannot restore a serialised state (canSerializeFMUState)"
        if parameters:
            yield f"parameters: {', '.join(parameters)}: already part of the state; remove them"
