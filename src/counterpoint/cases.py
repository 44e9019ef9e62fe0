"""Files that can be run: scenarios, mechanisms and diagrams."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from .scenario.reading import read_document

if TYPE_CHECKING:
    from .diagram.model_case import DiagramCase
    from .multibody.model_case import MechanismCase
    from .scenario import Scenario


def read_case(path: Path, *, allow_outside: bool = False) -> Scenario | MechanismCase | DiagramCase:
    """Read a scenario, a mechanism (the file has a table ``[mechanism]``) or a diagram (``[diagram]``).

    Parameters
    ----------
    path : Path
        TOML file.
    allow_outside : bool
        Whether it may use files outside of its directory.

    Raises
    ------
    ScenarioError
        With all problems found, each with file, key and remedy.
    """
    document = read_document(path)
    if "mechanism" in document.values:
        from .multibody.model_case import MechanismCase
        from .multibody.model_file import ModelFile

        return MechanismCase.of(ModelFile.of(path, document, allow_outside=allow_outside))
    if "diagram" in document.values:
        from .diagram.model_case import DiagramCase
        from .diagram.model_file import DiagramFile

        return DiagramCase.of(DiagramFile.of(path, document, allow_outside=allow_outside))
    from .scenario import Scenario

    return Scenario.of(path, document, allow_outside=allow_outside)
