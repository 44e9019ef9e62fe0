"""Run the two-mass problem with its results streamed to a file and print the resident memory as JSON.

Called as ``python -m benchmarks.streaming STEPS FILE`` by the work `memory`.
"""

import json
import sys
from pathlib import Path

from benchmarks.two_mass import FAST_STEP, two_mass_system


def resident_mb() -> float:
    """Return the resident memory of this process in MB (10^6 bytes)."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024 / 1e6
    raise RuntimeError("/proc/self/status: no line VmRSS")


def main(steps: int, file: str) -> None:
    run = two_mass_system(10, 0).start(until=steps * FAST_STEP, scheme="slowest-first", file=file)
    samples = []
    for tenth in range(1, 11):
        run.step_to(steps * FAST_STEP * tenth / 10)
        samples.append(resident_mb())
    run.finish()
    # Buffers have their full size when a few of them have been written.
    print(json.dumps({"start": samples[2], "end": samples[-1], "samples": samples}))


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
