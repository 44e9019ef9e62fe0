"""Sphinx settings."""

import re
from pathlib import Path

project = "Counterpoint"
author = "the Counterpoint developers"
copyright = "2026, the Counterpoint developers"
release = re.search(r'^version = "(.+)"', (Path(__file__).parents[1] / "pyproject.toml").read_text(), re.M)[1]
version = release

extensions = ["myst_parser"]
myst_enable_extensions = ["deflist", "dollarmath"]
myst_heading_anchors = 3
exclude_patterns = ["_build"]

html_theme = "furo"
html_title = "Counterpoint"
