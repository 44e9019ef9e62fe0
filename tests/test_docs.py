"""Every Python block of README and docs runs as shown; every internal link and picture is there."""

import re
import runpy
import warnings
from pathlib import Path

import matplotlib
import pytest

import counterpoint as cp
from counterpoint._cases.registry import read_case

ROOT = Path(__file__).resolve().parents[1]
TOOLS = runpy.run_path(str(ROOT / "docs" / "make_images.py"))
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
LINK = re.compile(r"\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]*))?\)")


def name_of(page):
    return page.relative_to(ROOT).as_posix()


def has_code(page):
    return any(language == "python" or file for _, language, file, _ in TOOLS["blocks"](page))


@pytest.fixture
def drawn_to_files():
    import matplotlib.pyplot as plt

    backend = matplotlib.get_backend()
    plt.switch_backend("agg")
    yield
    plt.close("all")
    plt.switch_backend(backend)


@pytest.mark.parametrize("page", [page for page in PAGES if has_code(page)], ids=name_of)
def test_the_code_of_a_page_runs_as_shown(page, tmp_path, drawn_to_files):
    if "import cfunc" in page.read_text(encoding="utf-8"):
        pytest.importorskip("numba")
    if "counterpoint.adapters" in page.read_text(encoding="utf-8"):
        pytest.importorskip("pathsim", reason="PathSim is not installed: pip install 'counterpoint[pathsim]'")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # Beside a busy machine steps may end behind the wall clock.
        warnings.filterwarnings("default", ".* steps ended later than the wall clock", cp.errors.PaceWarning)
        TOOLS["run_page"](page, tmp_path)
        for scenario in (path for path in tmp_path.glob("*.toml") if "[vary]" not in path.read_text(encoding="utf-8")):
            assert read_case(scenario).run().status == "finished"


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_and_pictures_of_a_page_exist(page):
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    for target, anchor in LINK.findall(text):
        file = (page.parent / target).resolve() if target else page
        assert file.exists(), f"{name_of(page)}: {target} does not exist"
        if anchor:
            assert anchor in anchors(file), f"{name_of(page)}: {target} has no heading #{anchor}"


def anchors(page):
    """Return the anchors of the headings of a page, as they are made on the web."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), flags=re.M)
    return {re.sub(r"[^\w -]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


def test_pictures_are_small_enough_for_a_clone():
    for picture in (ROOT / "docs" / "images").iterdir():
        assert picture.stat().st_size < 150_000, f"{picture.name} has {picture.stat().st_size} bytes"


def test_the_readme_shows_the_example_as_it_is_in_its_file():
    def lines(code):
        return [line for line in code.splitlines() if line.strip()]

    shown = next(code for _, language, file, code in TOOLS["blocks"](ROOT / "README.md") if language == "python")
    written = (ROOT / "examples" / "own_models.py").read_text(encoding="utf-8")
    assert lines(written)[1:] == lines(shown)


@pytest.mark.parametrize("header", ["scheduler", "precedence_rule", "windowed_scheduler", "embedded"])
def test_the_pseudocode_of_the_core_is_the_one_explained(header):
    source = (ROOT / "core" / "coupling" / f"{header}.hpp").read_text(encoding="utf-8")
    pseudocode = [line.strip() for line in re.findall(r"^/// {5}(.+)$", source, flags=re.M)]
    page = (ROOT / "docs" / "explanation" / "coupling.md").read_text(encoding="utf-8")
    assert pseudocode
    assert "\n".join(pseudocode) in "\n".join(line.strip() for line in page.splitlines())
