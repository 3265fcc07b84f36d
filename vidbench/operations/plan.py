"""What a plan is made of."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A stage with its config, in a plan.

    Attributes:
        stage: name of the stage.
        config: its own config as JSON.
        inputs: earlier steps whose keys go into its key; empty means that it reads the media.
        run_id: an existing run that stands in for this step.
    """

    stage: str
    config: dict[str, Any] = field(default_factory=dict)
    inputs: tuple[str, ...] = ()
    run_id: str = ""
