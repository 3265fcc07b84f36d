"""``collections`` and ``jobs``."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from vidbench.cli.session import known_or_added, show, workspace
from vidbench.errors import InvalidInput, NotFound

if TYPE_CHECKING:
    from vidbench.contract.collections import CollectionRecord
    from vidbench.contract.jobs import JobRecord
    from vidbench.workbench import Workbench


def list_collections(arguments: argparse.Namespace) -> int:
    """List collections, the built-in one first."""
    with workspace(arguments) as bench:
        records = bench.engine.list_collections()
    return show(arguments, records, lambda: _collections_text(records))


def create_collection(arguments: argparse.Namespace) -> int:
    """Make a collection."""
    from vidbench.contract.collections import CollectionConfig

    config = CollectionConfig(name=arguments.name, description=arguments.description)
    with workspace(arguments) as bench:
        record = bench.engine.create_collection(config=config)
    return show(arguments, record, lambda: _collections_text((record,)))


def add_to_collection(arguments: argparse.Namespace) -> int:
    """Put files into a collection, which must exist."""
    with workspace(arguments) as bench:
        found = bench.engine.get_collection(name=arguments.name)
        ids = tuple(known_or_added(bench, name).id for name in arguments.files)
        record = bench.engine.add_to_collection(collection_id=found.id, file_ids=ids)
    return show(arguments, record, lambda: _collections_text((record,)))


def list_jobs(arguments: argparse.Namespace) -> int:
    """List jobs, newest first."""
    from vidbench.display import table_text

    with workspace(arguments) as bench:
        jobs = bench.engine.list_jobs()
    columns = ["job", "operation", "of", "state", "attempt", "stage"]
    rows = [[job.job_id, job.operation, job.subject_name, job.state.value, job.attempt, job.stage] for job in jobs]
    return show(arguments, jobs, lambda: table_text(columns, rows))


def show_job(arguments: argparse.Namespace) -> int:
    """Show a job and its stages."""
    from vidbench.display import job_text

    with workspace(arguments) as bench:
        job = _job(bench, arguments.job)
    return show(arguments, job, lambda: job_text(job))


def cancel_job(arguments: argparse.Namespace) -> int:
    """Stop a job."""
    from vidbench.display import job_text

    with workspace(arguments) as bench:
        job = bench.engine.cancel_job(job_id=_job(bench, arguments.job).job_id)
    return show(arguments, job, lambda: job_text(job))


def _job(bench: Workbench, name: str) -> JobRecord:
    """The job whose id begins with *name*."""
    found = [job for job in bench.engine.list_jobs() if job.job_id.startswith(name)]
    if not found:
        raise NotFound(f"There is no job {name}", hint="See: vidbench jobs.")
    if len(found) > 1:
        raise InvalidInput(f"{name}: {len(found)} jobs begin so", hint="Give more of the id.", field="ID")
    return found[0]


def _collections_text(records: tuple[CollectionRecord, ...]) -> str:
    from vidbench.display import table_text

    columns = ["name", "type", "files", "id", "description"]
    rows = [[one.name, one.collection_type, one.file_count, one.id, one.description or ""] for one in records]
    return table_text(columns, rows)
