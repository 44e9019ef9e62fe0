"""Make the pictures of the documentation: run the examples and pages that draw them, keep what they save.

    python docs/make_images.py

``python_blocks`` and ``run_page`` are also what the tests use to run every page.
"""

import contextlib
import os
import re
import runpy
import shutil
import tempfile
from pathlib import Path

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
EXAMPLES = (
    "own_models",
    "python_model",
    "bouncing_ball",
    "unsynchronised",
    "compare_schemes",
    "motor_diagram",
    "thermostat_diagram",
    "engine",
)
PAGES = (
    "../README.md",
    "tutorial.md",
    "how-to/diagram.md",
    "how-to/events.md",
    "how-to/couple-a-diagram.md",
    "explanation/choosing.md",
    "explanation/trust.md",
    "how-to/analyse-a-mechanism.md",
    "how-to/animation.md",
    "how-to/stability.md",
    "how-to/advise.md",
    "how-to/sweep.md",
)

# A fenced block, with the file it stands for when a comment <!-- file: NAME --> comes before it;
# or a file that the reader does not see, inside such a comment.
BLOCK = re.compile(r"(?:<!-- file: (?P<file>\S+) -->\n+)?^```(?P<language>\w+)\n(?P<code>.*?)^```$", re.M | re.S)
UNSEEN = re.compile(r"<!-- file: (?P<file>\S+)\n(?P<code>.*?)-->", re.S)


def blocks(page):
    """Return (line, language, file or None, code) of every block and unseen file of a page."""
    text = Path(page).read_text(encoding="utf-8")
    matches = [*UNSEEN.finditer(text), *BLOCK.finditer(text)]
    found = []
    for match in sorted(matches, key=lambda match: match.start()):
        line = text.count("\n", 0, match.start("code"))
        found.append((line, match.groupdict().get("language"), match["file"], match["code"]))
    return found


FMU = re.compile(r"\b(?P<model>Oscillator|BouncingBall|PassThrough|Misbehaving)(?P<version>[23])\.fmu\b")


def build_fmus(page, folder):
    """Build the FMUs that a page names."""
    wanted = {(match["model"], match["version"]) for match in FMU.finditer(Path(page).read_text(encoding="utf-8"))}
    if wanted:
        tools = runpy.run_path(str(ROOT / "tests" / "fmi" / "building.py"))
        names = {model.name: name for name, model in tools["MODELS"].items()}
        for model, version in sorted(wanted):
            tools["build"](names[model], int(version), folder)


def run_page(page, folder):
    """Run the Python blocks of a page one after another in `folder`, and write the files it shows there."""
    space = {"__name__": "__page__"}
    build_fmus(page, folder)
    with contextlib.chdir(folder):
        for line, language, file, code in blocks(page):
            if file:
                Path(file).write_text(code, encoding="utf-8")
            elif language == "python":
                exec(compile("\n" * line + code, str(page), "exec"), space)
    return space


def main():
    """Draw everything in a temporary directory and copy the pictures that fit to ``docs/images``."""
    os.environ["MPLBACKEND"] = "agg"
    with tempfile.TemporaryDirectory() as folder:
        with contextlib.chdir(folder):
            for name in EXAMPLES:
                runpy.run_path(str(ROOT / "examples" / f"{name}.py"))
        for page in PAGES:
            run_page(DOCS / page, folder)
        for picture in sorted([*Path(folder).glob("*.png"), *Path(folder).glob("*.svg")]):
            shutil.copy(picture, DOCS / "images" / picture.name)
            print(f"{picture.name}: {picture.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
