"""Where things lie: the media that a user names, and folders that do not suit a workspace."""

from __future__ import annotations

import glob
import warnings
from collections.abc import Sequence
from pathlib import Path

from vidbench.errors import InvalidInput

MEDIA_SUFFIXES = frozenset(
    (
        *(
            ".3gp",
            ".avi",
            ".flv",
            ".m4v",
            ".mkv",
            ".mov",
            ".mp4",
            ".mpeg",
            ".mpg",
            ".mts",
            ".ogv",
            ".ts",
            ".webm",
            ".wmv",
        ),
        *(".aac", ".flac", ".m4a", ".mp3", ".oga", ".ogg", ".opus", ".wav", ".wma"),
    )
)
"""What ``add_all`` takes from a folder; any file can be added by name."""


def media_paths(source: str | Path | Sequence[str | Path]) -> list[Path]:
    """The media files that *source* names: a folder (with subfolders), a glob pattern, a path or a list of them.

    Raises:
        InvalidInput: nothing matches.
    """
    if not isinstance(source, str | Path):
        return [path for one in source for path in media_paths(one)]
    root = Path(source).expanduser()
    if root.is_dir():
        found = sorted(path for path in root.rglob("*") if path.suffix.lower() in MEDIA_SUFFIXES)
    elif root.exists():
        found = [root]
    else:
        found = sorted(
            Path(name)
            for name in glob.glob(str(root), recursive=True)  # noqa: PTH207 - takes absolute patterns
            if Path(name).is_file()
        )
    if not found:
        raise InvalidInput(
            f"{source} names no media file",
            hint="Give a file, a folder or a pattern.",
            field="path",
        )
    return [path.absolute() for path in found]


def warn_about(folder: Path) -> None:
    """Say so where the workspace lies on a network or in a synced folder."""
    import psutil

    synced = {"dropbox", "onedrive", "google drive", "icloud drive", "nextcloud"}
    if any(part.lower() in synced for part in folder.parts):
        warnings.warn(f"{folder} lies in a synced folder: syncing can damage an open workspace", stacklevel=4)
    mounts = {part.mountpoint: part.fstype for part in psutil.disk_partitions(all=True)}
    nearest = next((mounts[str(one)] for one in (folder, *folder.parents) if str(one) in mounts), "")
    if nearest.startswith(("nfs", "cifs", "smb", "fuse.sshfs", "9p")):
        warnings.warn(
            f"{folder} lies on a network file system ({nearest}): keep workspaces on a local disk",
            stacklevel=4,
        )
