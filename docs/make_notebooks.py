"""Run the notebooks of the gallery and keep what they print and draw: ``python docs/make_notebooks.py``.

A notebook is run as a script, cell by cell, so that neither Jupyter nor a kernel is needed.
"""

import base64
import contextlib
import io
import json
import os
import tempfile
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[1] / "examples" / "notebooks"


def read(path):
    """Return a notebook."""
    return json.loads(Path(path).read_text(encoding="utf-8"))


def run(notebook, folder):
    """Run the code cells in `folder`, one after another; their outputs are replaced."""
    import matplotlib.pyplot as plt

    space = {"__name__": "__notebook__"}
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    with contextlib.chdir(folder):
        for count, cell in enumerate(cells, start=1):
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                exec(compile("".join(cell["source"]), f"cell {count}", "exec"), space)
            cell["execution_count"] = count
            cell["outputs"] = [*_printed(printed.getvalue()), *_drawn(plt)]
    return notebook


def _printed(text):
    return [{"output_type": "stream", "name": "stdout", "text": text.splitlines(keepends=True)}] if text else []


def _drawn(plt):
    for number in plt.get_fignums():
        picture = io.BytesIO()
        plt.figure(number).savefig(picture, format="png", dpi=72)
        plt.close(number)
        data = {"image/png": base64.b64encode(picture.getvalue()).decode(), "text/plain": ["<Figure>"]}
        yield {"output_type": "display_data", "data": data, "metadata": {}}


def main():
    """Run every notebook and write it again."""
    os.environ["MPLBACKEND"] = "agg"
    for path in sorted(FOLDER.glob("*.ipynb")):
        with tempfile.TemporaryDirectory() as folder:
            made = run(read(path), folder)
        path.write_text(json.dumps(made, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
