"""Collections: named sets of files that can be asked and searched together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from annotated_types import Len

CollectionType = Literal["media-descriptions"]

EVERYTHING = "all"
"""The built-in media-descriptions collection that every file belongs to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectionConfig:
    """What a new collection is made of."""

    name: Annotated[str, Len(1, 255)]
    collection_type: CollectionType = "media-descriptions"
    description: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectionRecord:
    """The contract's collection object."""

    id: str
    name: str
    collection_type: CollectionType
    created_at: int
    file_count: int
    description: str | None = None
    object: Literal["collection"] = "collection"
