"""Which signals a run is judged by."""

from __future__ import annotations

from collections.abc import Iterable, Mapping


def judged(outputs: Mapping[str, Iterable[str]], sources: Iterable[str]) -> list[str]:
    """Return the signals that an error is looked for in: all that are sent, and all outputs of who sends nothing.

    What a subsystem makes of its inputs shows in what it sends. At the end of a chain nothing is sent: its outputs are
    what the run was made for.

    Parameters
    ----------
    outputs : mapping
        Subsystem -> names of its outputs.
    sources : iterable of str
        What connections carry, ``"subsystem.output"``.

    Examples
    --------
    >>> judged({"road": ["height"], "wheel": ["x", "v"]}, ["road.height"])
    ['road.height', 'wheel.x', 'wheel.v']
    """
    sent = list(dict.fromkeys(sources))
    senders = {source.partition(".")[0] for source in sent}
    return sent + [f"{name}.{port}" for name, ports in outputs.items() if name not in senders for port in ports]
