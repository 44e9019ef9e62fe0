"""``python -m counterpoint`` is ``counterpoint``."""

from .cli import main

if __name__ == "__main__":
    main()
