"""Scene text by RapidOCR: PP-OCR's detection and recognition, whose files come with the library (Apache-2.0)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vidbench.contract.describe import SceneText
from vidbench.contract.models import ModelSpec
from vidbench.errors import MediaError, MissingExtra

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from rapidocr import RapidOCR

LONG_SIDE = 960
"""Pixels: larger pictures are made smaller for the detection, and none is made larger.

The library's own setting blows small pictures up to 736 pixels of the shorter side: on video frames that took three
times as long and read words into patterns.
"""
MIN_SCORE = 0.5
"""What the recogniser itself holds for unreadable; the stage asks for more."""


class RapidOcr:
    """Reads pictures on the processor.

    Args:
        spec: names the model; its files lie in the library, so the path is not read.
        threads: cores it may use.
    """

    def __init__(self, spec: ModelSpec, threads: int) -> None:
        self.name = spec.name
        self._threads = threads
        self._engine: RapidOCR | None = None

    def read(self, images: Iterable[Path | NDArray[Any]]) -> Iterator[tuple[SceneText, ...]]:
        """The readings of each image, as :class:`~vidbench.perception.protocols.SceneTextModel` says.

        Raises:
            MediaError: an image cannot be read.
            MissingExtra: RapidOCR is not installed.
        """
        for image in images:
            picture = _picture(image)
            yield _readings(self._loaded()(picture), picture.shape[1], picture.shape[0])

    def close(self) -> None:
        """Free the models."""
        self._engine = None

    def _loaded(self) -> RapidOCR:
        if self._engine is None:
            self._engine = _load(self._threads)
        return self._engine


def _load(threads: int) -> RapidOCR:
    try:
        from rapidocr import RapidOCR
    except ImportError as error:
        raise MissingExtra.of("rapidocr", "scene-text") from error
    return RapidOCR(
        params={
            "Global.log_level": "critical",
            "Global.text_score": MIN_SCORE,
            # Video text stands upright; the check turned whole words round.
            "Global.use_cls": False,
            "Det.limit_type": "max",
            "Det.limit_side_len": LONG_SIDE,
            "EngineConfig.onnxruntime.intra_op_num_threads": threads,
            "EngineConfig.onnxruntime.inter_op_num_threads": 1,
        }
    )


def _picture(image: Path | NDArray[Any]) -> NDArray[Any]:
    if not isinstance(image, (str, Path)):
        return image
    import cv2
    import numpy as np

    # Through numpy, because OpenCV itself opens no names outside ASCII on some systems.
    path = Path(image)
    data = np.fromfile(path, dtype=np.uint8) if path.is_file() else np.empty(0, np.uint8)
    picture: NDArray[Any] | None = cv2.imdecode(data, cv2.IMREAD_COLOR) if data.size else None
    if picture is None:
        raise MediaError(f"the picture {path.name} cannot be read", hint="Scan the file again.", file=str(path))
    return picture


def _readings(found: Any, width: int, height: int) -> tuple[SceneText, ...]:
    if found.txts is None:
        return ()
    texts = [
        SceneText(
            text=text.strip(),
            start_time=0.0,
            end_time=0.0,
            confidence=float(score),
            box=_box(corners, width, height),
        )
        for text, score, corners in zip(found.txts, found.scores, found.boxes, strict=True)
    ]
    return tuple(sorted(texts, key=lambda text: (round(text.box[1], 2), text.box[0])))


def _box(corners: Any, width: int, height: int) -> tuple[float, float, float, float]:
    """The upright box around four corners in pixels, as fractions inside the picture."""
    across = [min(max(float(x) / width, 0.0), 1.0) for x, _ in corners]
    down = [min(max(float(y) / height, 0.0), 1.0) for _, y in corners]
    return min(across), min(down), max(across), max(down)
