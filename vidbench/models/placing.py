"""Giving a file that is on this machine a second name, without a second copy where that is possible."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from vidbench.models.folder import disk_error


def place(origin: Path, target: Path) -> None:
    """Make *target* the same file as *origin*: a hard link, or a copy where the disk is another one.

    A hard link survives the removal of *origin*, so a cleaned cache takes no model away.

    Raises:
        StoreError: the disk is full or cannot be written.
    """
    part = target.with_name(target.name + ".part")
    part.unlink(missing_ok=True)
    try:
        try:
            os.link(origin.resolve(), part)
        except OSError:  # another disk, or a file system without links
            shutil.copyfile(origin, part)
        part.replace(target)
    except OSError as error:
        raise disk_error(error, target) from error
