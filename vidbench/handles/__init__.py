"""What a user holds: thin handles, an id and the bench behind it."""

from vidbench.handles.collection import Answer, Chat, Collection
from vidbench.handles.file import Description, File, Files
from vidbench.handles.job import Job, Jobs
from vidbench.handles.segments import Segments
from vidbench.handles.table import Bench, Table

__all__ = [
    "Answer",
    "Bench",
    "Chat",
    "Collection",
    "Description",
    "File",
    "Files",
    "Job",
    "Jobs",
    "Segments",
    "Table",
]
