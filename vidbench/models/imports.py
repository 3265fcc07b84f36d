"""Import libraries one by one and say how it went; doctor runs it as a process that may crash.

``python -m vidbench.models.imports av cv2 ...`` prints one JSON object a line: ``{"trying": name}`` before an
import, and ``{"name", "ok", "detail"}`` after it.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from importlib import import_module, metadata
from typing import Any

DISTRIBUTIONS = {
    "av": "av",
    "ctranslate2": "ctranslate2",
    "cv2": "opencv-python-headless",
    "duckdb": "duckdb",
    "fastapi": "fastapi",
    "faster_whisper": "faster-whisper",
    "ipywidgets": "ipywidgets",
    "anywidget": "anywidget",
    "llama_cpp": "llama-cpp-python",
    "onnxruntime": "onnxruntime",
    "pandas": "pandas",
    "panel": "panel",
    "rapidocr": "rapidocr",
    "scenedetect": "scenedetect-headless",
    "tokenizers": "tokenizers",
    "uvicorn": "uvicorn",
}
"""Module -> distribution that brings it."""
EXTRAS = {
    "cv2": "shots",
    "scenedetect": "shots",
    "ctranslate2": "speech",
    "faster_whisper": "speech",
    "rapidocr": "scene-text",
    "onnxruntime": "embedding",
    "tokenizers": "embedding",
    "llama_cpp": "language",
    "fastapi": "server",
    "uvicorn": "server",
    "anywidget": "widgets",
    "ipywidgets": "widgets",
    "panel": "dashboards",
}
"""Module -> the extra of vidbench that brings it."""


def main(names: list[str]) -> None:
    """Import each of *names* and report on the standard output."""
    for name in names:
        _say({"trying": name})
        _say({"name": name, **_tried(name)})


def _tried(name: str) -> dict[str, Any]:
    try:
        module = import_module(name)
    except ModuleNotFoundError as error:
        return {"ok": False, "detail": f"not installed ({error.name})"}
    except (ImportError, OSError) as error:
        return {"ok": False, "detail": f"cannot be imported: {error}"}
    return {
        "ok": True,
        "detail": " ".join(filter(None, (_version(name, module), _more(name, module)))),
    }


def _version(name: str, module: Any) -> str:
    try:
        return metadata.version(DISTRIBUTIONS.get(name, name))
    except metadata.PackageNotFoundError:
        return str(getattr(module, "__version__", "unknown version"))


def _more(name: str, module: Any) -> str:
    describe = _DESCRIPTIONS.get(name)
    return describe(module) if describe else ""


def _gpus(ctranslate2: Any) -> str:
    return f"gpus={ctranslate2.get_cuda_device_count()}"


def _build(llama_cpp: Any) -> str:
    info = llama_cpp.llama_print_system_info().decode(errors="replace").strip()
    return f"build: {info} gpu_offload={int(llama_cpp.llama_supports_gpu_offload())}"


_DESCRIPTIONS: dict[str, Callable[[Any], str]] = {"ctranslate2": _gpus, "llama_cpp": _build}


def _say(message: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1:])
