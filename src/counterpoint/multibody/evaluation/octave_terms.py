"""Dynamic terms in the language of GNU Octave: ``.m`` files, run by an Octave that we start."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from ...errors import PeerLost, SetupError
from .peers import process
from .streams import TermStream

PROGRAM = "octave-cli"


def octave(file: str | os.PathLike[str], *, deadline: float = 30.0, program: str = PROGRAM) -> TermStream:
    """Return the terms that a function of GNU Octave evaluates.

    Parameters
    ----------
    file : path
        ``name.m`` with ``function [M, Phi, J, Q] = name(t, q, v, u)``, or with further terms, ``[M, Phi, J, Q, c]``;
        vectors arrive as columns. It may use other files of its folder.
    deadline : float
        Wall-clock time within which each answer must come, s; the first one includes Octave's start.
    program : str
        Name or path of the interpreter.

    Examples
    --------
    >>> from counterpoint.multibody.evaluation import Evaluated, octave
    >>> with octave("double_pendulum.m") as terms:  # doctest: +SKIP
    ...     Evaluated(terms, coordinates=4, equations=2).run(until=1.0, step=1e-3)
    """
    path = Path(file)
    if path.suffix != ".m" or not path.stem.isidentifier() or not path.is_file():
        raise SetupError(f"octave: {path}: expected an existing file name.m whose name is that of its function")
    found = shutil.which(program)
    if found is None:
        raise PeerLost(f"octave: {program} is not installed; install GNU Octave, or give program=")
    quiet = ["--no-gui", "--no-history", "--no-init-file", "--no-site-file", "--quiet", "--no-window-system"]
    # addpath takes the folder of the user's file last, so that it comes first in the search.
    answer = f"counterpoint_answer(@{path.stem})"
    folders = [word for folder in (octave_folder(), path.parent.resolve()) for word in ("--path", str(folder))]
    return process([found, *quiet, *folders, "--eval", answer], deadline=deadline)


def octave_folder() -> Path:
    """Return the folder of our ``.m`` files; a script of Octave that uses us as its library adds it to its path.

    Examples
    --------
    >>> sorted(path.name for path in octave_folder().glob("*.m"))
    ['counterpoint_answer.m', 'counterpoint_integrate.m']
    """
    return Path(__file__).parent / "octave"
