"""Opening a media file safely: only a local regular file, only as one of the known containers.

A name is never read as a protocol (``http://``, ``concat:``), and formats that lead to other files
(playlists, concatenation scripts, numbered pictures) are not opened at all.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from vidbench.errors import InvalidInput, MediaError
from vidbench.media.fingerprint import check_regular

if TYPE_CHECKING:
    from av.container import InputContainer

OPEN_SECONDS = 20.0
READ_SECONDS = 30.0
"""After so long in one call the file counts as unreadable (a stalled network disk, a hostile file)."""

CONTAINERS = (
    "aac,aa3,ac3,aiff,amr,amrnb,amrwb,ape,apng,asf,au,av1,avi,avs2,avs3,bink,caf,dsf,dirac,"
    "dnxhd,dts,dtshd,dv,eac3,flac,flv,gif,gxf,h261,h263,h264,hevc,ivf,kux,live_flv,lmlm4,"
    "loas,m4v,matroska,mjpeg,mlp,mov,mp3,mp4,mpc,mpc8,mpeg,mpegts,mpegvideo,mpjpeg,mv,mvi,"
    "mxf,nsv,nut,obu,ogg,oma,pva,rm,roq,rso,smjpeg,smk,sox,swf,tak,truehd,tta,ty,vc1,vc1test,"
    "vivo,voc,vvc,w64,wav,webm,wsvqa,wtv,wv,xwma,yuv4mpegpipe,bmp_pipe,gif_pipe,jpeg_pipe,"
    "jpegxl_pipe,j2k_pipe,png_pipe,tiff_pipe,webp_pipe,webp_anim"
)
"""FFmpeg's demuxers that read one file of media, out of ``ffmpeg -demuxers``."""

_OPTIONS = {"protocol_whitelist": "file", "format_whitelist": CONTAINERS}


def open_media(path: Path) -> InputContainer:
    """Open a local media file for reading; close it, or use it in a with block.

    Args:
        path: a regular file; its name may hold any character.

    Raises:
        NotFound: there is no such file.
        InvalidInput: it is no regular file, or it may not be read.
        MediaError: it is no media file, or is too damaged to be opened.
    """
    import av

    check_regular(path)
    try:
        return av.open(
            f"file:{path}",
            options=dict(_OPTIONS),
            metadata_errors="replace",
            timeout=(OPEN_SECONDS, READ_SECONDS),
        )
    except PermissionError as error:
        raise InvalidInput(f"{path} may not be read", hint="Check the file's permissions.", file=str(path)) from error
    except (av.FFmpegError, OSError, ValueError) as error:
        raise not_media(path, _reason(path, error)) from error


def not_media(path: Path, reason: str) -> MediaError:
    """The error for a file that holds nothing that can be played."""
    return MediaError(
        f"{path.name} cannot be read as video or sound: {reason}",
        hint="Check that it plays elsewhere; if it was cut off or damaged, copy or download it again.",
        file=str(path),
    )


def encrypted(path: Path) -> MediaError:
    """The error for a file whose media are encrypted."""
    return MediaError(
        f"{path.name} is encrypted (DRM)",
        hint="Only unprotected media can be analysed; get a copy without protection.",
        file=str(path),
    )


def _reason(path: Path, error: Exception) -> str:
    if path.stat().st_size == 0:
        return "the file is empty"
    strerror = getattr(error, "strerror", None)
    if strerror in {None, "Invalid argument"}:
        return "it is of no known container format"
    return str(strerror).lower()
