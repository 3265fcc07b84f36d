"""What each command does: a function from parsed arguments to the exit code."""

from vidbench.cli.commands.answers import ask, export, sql
from vidbench.cli.commands.demo import demo
from vidbench.cli.commands.keeping import (
    add_to_collection,
    cancel_job,
    create_collection,
    list_collections,
    list_jobs,
    show_job,
)
from vidbench.cli.commands.setup import doctor, list_models, pull_models
from vidbench.cli.commands.work import add, describe, segment

__all__ = [
    "add",
    "add_to_collection",
    "ask",
    "cancel_job",
    "create_collection",
    "demo",
    "describe",
    "doctor",
    "export",
    "list_collections",
    "list_jobs",
    "list_models",
    "pull_models",
    "segment",
    "show_job",
    "sql",
]
