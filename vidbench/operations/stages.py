"""The stages that operations are made of: which function, in which worker, from which inputs."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module, resources
from typing import Any, Protocol

from vidbench.contract.ids import digest, stable_id
from vidbench.contract.models import Role
from vidbench.contract.work import Batch, Interrupt, Unit, WorkerKind


class Models(Protocol):
    """The models of a unit, loaded when first asked for and kept for the next unit."""

    def get(self, role: Role) -> Any:
        """The model that plays *role*."""
        ...


class StageFunction(Protocol):
    """Media, config and models in; rows and files out."""

    def __call__(self, unit: Unit, models: Models, interrupt: Interrupt) -> Iterator[Batch]:
        """Run *unit* from its position on."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """A kind of work.

    Attributes:
        name: also the kind of its runs.
        version: raised when the same input would give another answer.
        worker: where it runs.
        function: ``module:function`` below ``vidbench.operations``.
        roles: models it uses.
        inputs: stages whose rows or files it reads.
        prompts: prompt files of ``vidbench.language`` it uses.
        weight: seconds a second of media, a first guess for the ETA before anything was measured.
    """

    name: str
    version: int
    worker: WorkerKind
    function: str
    roles: tuple[Role, ...] = ()
    inputs: tuple[str, ...] = ()
    prompts: tuple[str, ...] = ()
    weight: float = 0.01

    def load(self) -> StageFunction:
        """The function that does the work."""
        module, name = self.function.split(":")
        function: StageFunction = getattr(import_module(f"vidbench.operations.{module}"), name)
        return function


_ALL = (
    Stage(name="probe", version=1, worker="media", function="probe:run", weight=0.0),
    Stage(name="scan", version=1, worker="perception", function="scan:run", weight=0.02),
    Stage(
        name="segmentation",
        version=1,
        worker="perception",
        function="segmentation:run",
        inputs=("scan",),
        weight=0.001,
    ),
    Stage(
        name="speech",
        version=1,
        worker="perception",
        function="speech:run",
        roles=("speech",),
        inputs=("scan",),
        weight=0.1,
    ),
    Stage(
        name="scene_text",
        version=1,
        worker="perception",
        function="scene_text:run",
        roles=("scene_text",),
        inputs=("scan",),
        weight=0.15,
    ),
    Stage(
        name="summary",
        version=1,
        worker="language",
        function="summary:run",
        roles=("language",),
        inputs=("segmentation", "speech", "scene_text"),
        prompts=("segment_summary.md", "file_summary.md"),
        weight=0.2,
    ),
    Stage(
        name="passages",
        version=1,
        worker="language",
        function="passages:run",
        roles=("embedding",),
        inputs=("speech", "scene_text", "summary"),
        weight=0.005,
    ),
    Stage(
        name="question",
        version=1,
        worker="language",
        function="chat:embed",
        roles=("embedding",),
        weight=0.0,
    ),
    Stage(
        name="chat",
        version=1,
        worker="language",
        function="chat:run",
        roles=("language",),
        prompts=("answer.md",),
        weight=0.0,
    ),
)
STAGES = {stage.name: stage for stage in _ALL}
"""Every stage by name."""


def prompt_digest(names: tuple[str, ...]) -> str:
    """SHA-256 of the prompt files *names*, so that an edited prompt is another work."""
    folder = resources.files("vidbench.language") / "prompts"
    text = "".join((folder / name).read_text(encoding="utf-8") for name in names)
    return hashlib.sha256(text.encode()).hexdigest()


def key_parts(
    stage: Stage, *, config: dict[str, Any], models: dict[str, str], inputs: dict[str, str]
) -> dict[str, Any]:
    """What a stage's key is made of, part by part, so that two keys can be compared.

    Args:
        stage: the kind of work.
        config: its canonical config.
        models: role -> checksum of the model used.
        inputs: name of the input -> its key (for media: the fingerprint).
    """
    return {
        "stage": stage.name,
        "version": stage.version,
        "config": config,
        "models": models,
        "prompts": prompt_digest(stage.prompts) if stage.prompts else "",
        "inputs": inputs,
    }


def run_id_of(file_id: str, parts: dict[str, Any]) -> str:
    """The id of the run of a stage on a file: equal work on the same file has the same id."""
    return stable_id("run", file_id, digest(parts))
