"""What tests of several rooms use."""

import textwrap

import pytest


@pytest.fixture
def write(tmp_path):
    """Write a file, its text without the indent of the test; return its path."""

    def write(text, name="case.toml"):
        path = tmp_path / name
        path.write_text(textwrap.dedent(text), encoding="utf-8")
        return path

    return write
