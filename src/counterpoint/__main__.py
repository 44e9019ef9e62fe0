"""``python -m counterpoint`` is ``counterpoint``."""

from ._cli.main import main

if __name__ == "__main__":
    main()
