"""Build the FMUs that README and the how-to pages use, in this directory; needs a C compiler.

    python examples/make_fmus.py

Oscillator2.fmu and Oscillator3.fmu are the same mass on a spring, for FMI 2 and FMI 3.
"""

import runpy
from pathlib import Path

TOOLS = runpy.run_path(str(Path(__file__).resolve().parents[1] / "tests" / "fmi" / "building.py"))
FMUS = (
    ("oscillator", 2),
    ("oscillator", 3),
    ("bouncing-ball", 2),
    ("bouncing-ball", 3),
    ("pass-through", 2),
    ("pass-through", 3),
    ("misbehaving", 2),
)

for name, version in FMUS:
    print(TOOLS["build"](name, version, Path()))
