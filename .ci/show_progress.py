"""Run a command that compiles, show how far it is, keep its whole output: ``show_progress.py LOG COMMAND ...``."""

import re
import subprocess
import sys
import time
from pathlib import Path


def main(log: str, *command: str) -> int:
    """Return the exit code of the command; when it fails, print the end of its output."""
    terminal = sys.stdout.isatty()
    began = said = time.monotonic()
    lines: list[str] = []
    with Path(log).open("w", encoding="utf-8", errors="replace") as file:
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
        )
        assert process.stdout is not None
        for line in process.stdout:
            file.write(line)
            lines = [*lines[-60:], line]
            count = re.search(r"\[(\d+)/(\d+)\]", line)
            now = time.monotonic()
            if count and (terminal or now - said > 10 or count[1] == count[2]):
                said = now
                text = f"compiling {count[1]} of {count[2]}, {now - began:.0f} s"
                print(f"\r{text} " if terminal else text, end="" if terminal else "\n", flush=True)
    if terminal:
        print()
    code = process.wait()
    if code:
        print("".join(lines), end="")
        print(f"failed with exit code {code}; the whole output is in {log}")
    return code


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
