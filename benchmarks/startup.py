"""How long ``import vidbench`` and ``vidbench --help`` take, and what they load.

Run ``python benchmarks/startup.py``. Each is started in a process of its own; the time of the import is taken inside
that process, the time of the command from outside, interpreter included. The best of five is printed: what else the
machine does can only add to it.
"""

from __future__ import annotations

import subprocess
import sys
import time

RUNS = 5
IMPORT_LIMIT_SECONDS = 0.2
HELP_LIMIT_SECONDS = 0.4
TIMED_IMPORT = "import time; a = time.perf_counter(); import vidbench; print(time.perf_counter() - a)"


def import_seconds() -> float:
    """Seconds of one ``import vidbench`` in a fresh interpreter."""
    command = [sys.executable, "-c", TIMED_IMPORT]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def help_seconds() -> float:
    """Seconds of one ``vidbench --help``, from start to end of its process."""
    began = time.perf_counter()
    subprocess.run([sys.executable, "-m", "vidbench.cli", "--help"], check=True, capture_output=True)
    return time.perf_counter() - began


def main() -> None:
    """Print both, beside their limits; exit with 1 if one is over."""
    imported = min(import_seconds() for _ in range(RUNS))
    helped = min(help_seconds() for _ in range(RUNS))
    print(f"import vidbench   {imported:.3f} s  (limit {IMPORT_LIMIT_SECONDS} s)")
    print(f"vidbench --help   {helped:.3f} s  (limit {HELP_LIMIT_SECONDS} s)")
    sys.exit(imported > IMPORT_LIMIT_SECONDS or helped > HELP_LIMIT_SECONDS)


if __name__ == "__main__":
    main()
