"""``models`` and ``doctor``: what has to be there before anything works."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from typing import TYPE_CHECKING

from vidbench.cli.session import pulling, say, show

if TYPE_CHECKING:
    from vidbench.contract.models import ModelStatus


def list_models(arguments: argparse.Namespace) -> int:
    """List the catalogue, and what of it is here."""
    from vidbench.models import statuses

    found = statuses()
    return show(arguments, found, lambda: _models_text(found))


def pull_models(arguments: argparse.Namespace) -> int:
    """Fetch a model, or all models of a tier."""
    from vidbench.models import entries, entry_of, pull, statuses

    wanted = [entry_of(arguments.name)] if arguments.name else list(entries(arguments.tier))
    for entry in wanted:
        say(f"{entry.name}: by {entry.publisher}, licence {entry.licence}, sha256 {entry.checksum[:16]}")
        pull(entry, progress=pulling(entry.name))
    found = tuple(status for status in statuses() if status.entry.name in {entry.name for entry in wanted})
    return show(arguments, found, lambda: _models_text(found))


def doctor(arguments: argparse.Namespace) -> int:
    """Check the machine; 1 if something that is needed is missing."""
    from vidbench.models import examine

    checks = examine()
    lines = [f"{'ok' if check.ok else '!!':2}  {check.name}: {check.detail}" for check in checks]
    remedies = [f"    {check.name}: {check.remedy}" for check in checks if not check.ok and check.remedy]
    text = "\n".join([*lines, *(["To mend:", *remedies] if remedies else [])])
    show(arguments, {"object": "list", "data": [asdict(check) for check in checks]}, lambda: text)
    return 0 if all(check.ok for check in checks) else 1


def _models_text(found: tuple[ModelStatus, ...]) -> str:
    from vidbench.display import table_text

    columns = ["name", "role", "tier", "here", "MB", "publisher", "licence", "sha256"]
    rows = [
        [
            one.entry.name,
            one.entry.role,
            one.entry.tier,
            "yes" if one.present else "no",
            round(one.entry.bytes / 1e6),
            one.entry.publisher,
            one.entry.licence,
            one.entry.checksum[:16],
        ]
        for one in found
    ]
    return table_text(columns, rows)
