"""Files that can be run: scenarios, mechanisms and diagrams."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from .._files.document import read_document
from ..errors import ScenarioError

if TYPE_CHECKING:
    from ..diagram.files.case import DiagramCase
    from ..multibody.files.case import MechanismCase
    from ..scenario import Scenario


STRUCTURES = (".ssp", ".ssd")
"""Ends of the names of system structures."""
_MECHANISM = frozenset(("mechanism", "points", "bodies"))
"""Tables that only the file of a mechanism has."""


def read_case(
    path: Path, *, allow_outside: bool = False, until: float | None = None, step: float | None = None
) -> Scenario | MechanismCase | DiagramCase:
    """Read a scenario, a mechanism (a file with ``[mechanism]``, ``[points]``), a diagram (``[diagram]``) or an SSP.

    Parameters
    ----------
    path : Path
        TOML file, or a system structure (``.ssp``, ``.ssd``).
    allow_outside : bool
        Whether it may use files outside of its directory.
    until, step : float, optional
        For a system structure that does not say them: end of the run, and step of FMUs that suggest none, in s.

    Raises
    ------
    ScenarioError
        With all problems found, each with file, key and remedy.
    """
    if path.suffix.lower() in STRUCTURES:
        from ..ssp import read

        return read(path, until=until, step=step, allow_outside=allow_outside)
    document = read_document(path)
    if not document.values:
        raise ScenarioError(
            f"{path}: the file is empty; a mechanism begins with [mechanism], a diagram with [diagram], "
            "a scenario has [subsystems]"
        )
    if not _MECHANISM.isdisjoint(document.values):
        from ..multibody.files.case import MechanismCase
        from ..multibody.files.reading import ModelFile

        return MechanismCase.of(ModelFile.of(path, document, allow_outside=allow_outside))
    if "diagram" in document.values:
        from ..diagram.files.case import DiagramCase
        from ..diagram.files.reading import DiagramFile

        return DiagramCase.of(DiagramFile.of(path, document, allow_outside=allow_outside))
    from ..scenario import Scenario

    return Scenario.of(path, document, allow_outside=allow_outside)
