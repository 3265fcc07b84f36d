"""The command line, ``vidbench COMMAND``: every command is written on the engine's Protocol.

Results go to stdout, progress and errors to stderr. The exit code is 0, 1 (failed), 2 (wrong usage),
130 (stopped by Ctrl-C) or 141 (the reader of a pipe went away).
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from vidbench.errors import VidbenchError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

__all__ = ["main"]

STOPPED = 128 + 2
"""Ended by SIGINT, in the shells' way of counting."""
PIPE_CLOSED = 128 + 13
"""Ended by SIGPIPE, in the shells' way of counting."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command.

    Args:
        argv: the arguments after the program's name; None means those of the process.

    Returns:
        The exit code.

    Raises:
        SystemExit: after ``--help`` (0) and after arguments that cannot be read (2).
    """
    from vidbench.cli.parser import build_parser

    arguments = build_parser().parse_args(argv)
    try:
        code: int = arguments.run(arguments)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return _complain("stopped", STOPPED)
    except BrokenPipeError:
        return _close_quietly()
    except VidbenchError as error:
        return _complain(str(error), error.exit_code)
    except Exception as error:  # noqa: BLE001 - the outermost border: nobody else is left to tell the user
        return _complain(f"{type(error).__name__}: {error}. The traceback is in {_write_log()}", 1)
    return code


def _complain(text: str, code: int) -> int:
    """Say *text* in one line on stderr; with VIDBENCH_DEBUG=1 show the traceback before it."""
    if os.environ.get("VIDBENCH_DEBUG") == "1":
        import traceback

        traceback.print_exc()
    sys.stderr.write(f"vidbench: {' '.join(text.split())}\n")
    return code


def _close_quietly() -> int:
    """Point stdout at nothing, so that the interpreter's own flush at exit does not complain either."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return PIPE_CLOSED


def _write_log() -> Path:
    """Append the current traceback to the log of this user, and say where that is."""
    import traceback
    from datetime import UTC, datetime

    import platformdirs

    path = platformdirs.user_log_path("vidbench", ensure_exists=True) / "cli.log"
    with path.open("a", encoding="utf-8") as log:
        log.write(f"{datetime.now(UTC).isoformat()} {' '.join(sys.argv)}\n{traceback.format_exc()}\n")
    return path
