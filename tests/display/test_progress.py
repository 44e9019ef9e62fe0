import io
import math

from rich.console import Console

from counterpoint._display.console import clock
from counterpoint._display.progress import show
from counterpoint._run.progress import Progress


def _console(terminal: bool, width: int = 120) -> Console:
    return Console(file=io.StringIO(), force_terminal=terminal, width=width, color_system=None)


def test_half_the_time_is_half_the_run():
    progress = Progress(time=6.0, start=2.0, until=10.0, wall_seconds=3.0)
    assert progress.fraction == 0.5
    assert progress.eta_seconds == 3.0
    assert progress.real_time_factor == 4.0 / 3.0


def test_before_the_first_step_nothing_is_promised():
    progress = Progress(time=0.0, start=0.0, until=10.0, wall_seconds=0.0)
    assert progress.fraction == 0.0
    assert progress.eta_seconds == math.inf
    assert math.isnan(progress.real_time_factor)


def test_a_step_beyond_the_end_is_not_more_than_all():
    progress = Progress(time=10.1, start=0.0, until=10.0, wall_seconds=1.0)
    assert progress.fraction == 1.0
    assert progress.eta_seconds == 0.0


def test_a_terminal_sees_time_factor_and_rest():
    console = _console(terminal=True)
    with show("two-mass", console=console) as callback:
        callback(Progress(time=25.0, start=0.0, until=100.0, wall_seconds=2.0))
    text = console.file.getvalue()
    assert "two-mass" in text
    assert "25 %" in text
    assert "t = 25 of 100 s" in text
    assert "12.5× real time" in text
    assert "6.0 s left" in text


def test_a_file_sees_nothing_unless_forced():
    console = _console(terminal=False)
    with show("two-mass", console=console) as callback:
        callback(Progress(time=1.0, start=0.0, until=2.0, wall_seconds=1.0))
    assert console.file.getvalue() == ""
    with show("two-mass", console=console, force=True) as callback:
        callback(Progress(time=1.0, start=0.0, until=2.0, wall_seconds=1.0))
    assert "50 %" in console.file.getvalue()


def test_a_narrow_terminal_gets_one_line():
    console = _console(terminal=True, width=30)
    with show("a name that is far too long for it", console=console) as callback:
        callback(Progress(time=1.0, start=0.0, until=2.0, wall_seconds=1.0))
    assert "real time" not in console.file.getvalue().splitlines()[0] or len(console.file.getvalue()) < 200


def test_markup_in_a_title_stays_text():
    console = _console(terminal=True)
    with show("[red]x[/red]", console=console) as callback:
        callback(Progress(time=1.0, start=0.0, until=2.0, wall_seconds=1.0))
    assert "[red]x[/red]" in console.file.getvalue()


def test_durations_read_like_a_clock():
    assert [clock(s) for s in (0.04, 9.5, 59.4, 60, 3600)] == [
        "40 ms",
        "9.5 s",
        "59 s",
        "1 min 0 s",
        "1 h 0 min",
    ]


def test_notebooks_need_no_widgets(monkeypatch):
    import sys
    from types import SimpleNamespace

    from rich.console import Console

    shown = []
    handle = SimpleNamespace(update=shown.append)
    module = SimpleNamespace(HTML=str, display=lambda made, display_id: handle)
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(display=module))
    monkeypatch.setitem(sys.modules, "IPython.display", module)
    with show("kart & co", console=Console(force_jupyter=True)) as callback:
        callback(Progress(time=1.0, start=0.0, until=10.0, wall_seconds=0.5))
    (page,) = shown
    assert "kart &amp; co" in page
    assert 'value="0.1000"' in page
    assert "t = 1 of 10 s" in page
