"""``python -m counterpoint`` is ``counterpoint``."""

from ._cli import start

if __name__ == "__main__":
    start()
