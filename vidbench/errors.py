"""Everything that vidbench raises, as one small family.

::

    VidbenchError                  message, hint, field, file
    ├── InvalidInput               a field, a path or a config that cannot be used (also a ValueError)
    │   └── MediaError             the file is there but is no video or sound that can be read
    ├── NotFound                   no such file, collection, job or run (also a LookupError)
    ├── NotReady                   nothing there yet: the hint names the verb to run
    ├── Conflict                   the name or state is taken
    ├── WorkspaceBusy              another process owns the workspace
    ├── OwnerGone                  the owning process went away while it was asked
    ├── ForkedProcess              a bench crossed a fork
    ├── MissingExtra               a library of an optional extra is not installed
    ├── MissingModel               no file of a model is there and no source could be reached
    ├── StoreError                 the workspace cannot be read or written (disk full, damaged)
    ├── WorkerDied                 a worker process ended without an answer
    ├── JobFailed                  the job that was waited for failed
    ├── JobCancelled               the job that was waited for was cancelled
    └── Interrupted                work stopped because it was asked to
"""

from __future__ import annotations

from typing import ClassVar


class VidbenchError(Exception):
    """What went wrong, with what, and what to do about it.

    Args:
        message: one sentence that says what is wrong.
        hint: what to do, one sentence or command; empty where nothing can be done.
        field: the request field at fault, dotted (``uniform_config.window_seconds``).
        file: the path or file name at fault.

    Example:
        >>> error = InvalidInput("window_seconds is 0", hint="Choose 1 to 120.", field="window_seconds")
        >>> print(error)
        window_seconds is 0. Choose 1 to 120.
    """

    exit_code: ClassVar[int] = 1

    def __init__(self, message: str, *, hint: str = "", field: str = "", file: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.field = field
        self.file = file

    def __str__(self) -> str:
        """The message and the hint as one line."""
        return f"{self.message.rstrip('.')}. {self.hint}" if self.hint else self.message

    def __reduce__(self) -> tuple[object, ...]:
        """Survive pickling with hint, field and file."""
        return (_rebuild, (type(self), self.message, self.hint, self.field, self.file))


def _rebuild(kind: type[VidbenchError], message: str, hint: str, field: str, file: str) -> VidbenchError:
    return kind(message, hint=hint, field=field, file=file)


class InvalidInput(VidbenchError, ValueError):
    """A field, a path or a config cannot be used."""

    exit_code = 2


class MediaError(InvalidInput):
    """The file exists but holds no video or sound that can be read."""

    exit_code = 1


class NotFound(VidbenchError, LookupError):
    """No file, collection, job or run of that name or id."""


class NotReady(VidbenchError):
    """Nothing has been computed yet; the hint names the verb to run."""


class Conflict(VidbenchError):
    """The name is taken, or the thing is in another state."""


class WorkspaceBusy(VidbenchError):
    """Another process owns the workspace and cannot be shared with."""


class OwnerGone(VidbenchError):
    """The process that owned the workspace went away; calling again takes over."""


class ForkedProcess(VidbenchError):
    """A bench was used in a forked child; open one there instead."""


class MissingExtra(VidbenchError):
    """A library of an optional extra is not installed."""

    @classmethod
    def of(cls, library: str, extra: str) -> MissingExtra:
        """The error for *library*, which extra *extra* brings.

        Example:
            >>> print(MissingExtra.of("faster-whisper", "speech"))
            faster-whisper is not installed. Run: pip install 'vidbench[speech]'
        """
        return cls(f"{library} is not installed", hint=f"Run: pip install 'vidbench[{extra}]'")


class MissingModel(VidbenchError):
    """A model's files are absent and no source could be reached."""


class StoreError(VidbenchError):
    """The workspace cannot be read or written."""


class WorkerDied(VidbenchError):
    """A worker process ended without an answer."""


class JobFailed(VidbenchError):
    """The job that was waited for failed."""


class JobCancelled(VidbenchError):
    """The job that was waited for was cancelled."""


class Interrupted(VidbenchError):
    """Work stopped because it was asked to: a cancel, or an interactive request going first."""


def by_name(name: str) -> type[VidbenchError]:
    """The error class called *name*, for errors that crossed a process border.

    Example:
        >>> by_name("NotFound").__name__
        'NotFound'
    """
    return {kind.__name__: kind for kind in _family(VidbenchError)}.get(name, VidbenchError)


def _family(kind: type[VidbenchError]) -> list[type[VidbenchError]]:
    return [kind, *(member for child in kind.__subclasses__() for member in _family(child))]
