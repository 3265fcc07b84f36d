"""``demo``: the main job on one clip, from nothing to a cited answer, with the seconds of each stage."""

from __future__ import annotations

import argparse
import time
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from vidbench.cli.session import follow, pulling, say, workspace
from vidbench.errors import InvalidInput

if TYPE_CHECKING:
    from rich.console import Console

    from vidbench.handles import Answer, File
    from vidbench.workbench import Workbench

CLIP = "wannaworktogether.mp4"
QUESTION = "What does Creative Commons let people do with their work?"
UNANSWERABLE = "How much does a subscription cost per month?"
QUERY = """select filename, count(*) as lines, round(sum(end_time - start_time), 1) as seconds_of_speech,
       round(avg(confidence), 2) as confidence
from speech group by filename"""
SHOWN_LINES = 8
WIDTH = 100


def demo(arguments: argparse.Namespace) -> int:
    """Run the main job and print what came of it."""
    from rich.console import Console

    console = Console(width=WIDTH, record=bool(getattr(arguments, "svg", None)), highlight=False)
    started = time.monotonic()
    seconds = {"models": _models()}
    with workspace(arguments, default="demo-workspace") as bench:
        file = bench.add(_clip(arguments.clip))
        job = file.describe()
        follow(job)
        stages = {stage.name: stage.seconds for stage in job.record.stages}
        seconds |= stages
        _found(console, file)
        for name, question in (("answer", QUESTION), ("refusal", UNANSWERABLE)):
            begun = time.monotonic()
            _answer(console, bench, question)
            seconds[name] = time.monotonic() - begun
        _query(console, bench)
    _times(console, seconds, time.monotonic() - started)
    if getattr(arguments, "svg", None):
        console.save_svg(arguments.svg, title="make demo")
    return 0


def _models() -> float:
    """Fetch the tiny models that are missing; the seconds it took."""
    from vidbench.contract.models import ROLES
    from vidbench.models import choose, is_present, pull

    begun = time.monotonic()
    for entry in (choose(role) for role in ROLES):
        if not is_present(entry):
            say(f"{entry.name}: by {entry.publisher}, licence {entry.licence}, sha256 {entry.checksum[:16]}")
            pull(entry, progress=pulling(entry.name))
    return time.monotonic() - begun


def _clip(given: str | None) -> Path:
    """The clip that was named, else the bundled one: in the package, or beside it in a checkout.

    Raises:
        InvalidInput: neither is there.
    """
    if given:
        return Path(given)
    package = Path(str(resources.files("vidbench")))
    for path in (package / "demo" / CLIP, package.parent / "notebooks" / CLIP):
        if path.is_file():
            return path
    raise InvalidInput("The bundled clip is not installed", hint="Name a video: vidbench demo CLIP")


def _found(console: Console, file: File) -> None:
    from vidbench.display import clock_text

    console.rule(f"[bold]{file.name}")
    console.print(file.title, style="bold", markup=False)
    console.print(file.summary + "\n", markup=False)
    console.print("[bold]Segments")
    for segment in file.segment_summaries:
        console.print(f"  {clock_text(segment.start_time)}  {segment.title}", markup=False)
    console.print(f"\n[bold]Transcript[/bold], the first {SHOWN_LINES} of {len(file.speech)} lines")
    for line in file.speech[:SHOWN_LINES]:
        console.print(f"  {clock_text(line.start_time)}  {line.text}", markup=False)
    console.print(f"\n[bold]Scene text[/bold], {len(file.scene_text)} sightings")
    for seen in file.scene_text[: 2 * SHOWN_LINES]:
        console.print(f"  {clock_text(seen.start_time)}-{clock_text(seen.end_time)}  {seen.text}", markup=False)


def _answer(console: Console, bench: Workbench, question: str) -> None:
    from vidbench.display import clock_text

    answer: Answer = follow(bench.collection("all").ask(question))
    console.print(f"\nQ: {question}", style="bold", markup=False)
    console.print(f"A: {answer.text}", markup=False)
    for citation in answer.citations:
        check = "found there" if _is_there(bench, citation.file_id, citation) else "NOT FOUND"
        time_text = clock_text(float(citation.start_time))
        console.print(f'   [{time_text}] "{citation.text}" ({check})', markup=False)


def _is_there(bench: Workbench, file_id: str, citation: object) -> bool:
    """Whether the quoted words stand in the store at the cited time, looked up afresh."""
    from vidbench.contract.chat import Citation

    assert isinstance(citation, Citation)
    start, end = float(citation.start_time) - 0.02, float(citation.end_time) + 0.02
    sql = """
        select coalesce(string_agg(word, ' ' order by start_time), '') as words from words
        where file_id = $file and start_time >= $start and end_time <= $end
    """
    spoken = bench.sql(sql, {"file": file_id, "start": start, "end": end})["words"][0]
    seen = bench.sql("select text from scene_text where file_id = ? and contains(text, ?)", [file_id, citation.text])
    return _letters(citation.text) in _letters(spoken) or len(seen) > 0


def _letters(text: str) -> str:
    return "".join(text.split())


def _query(console: Console, bench: Workbench) -> None:
    from vidbench.display import table_text

    frame = bench.sql(QUERY)
    console.print(f"\n[bold]SQL[/bold]\n{QUERY}\n")
    console.print(table_text(list(frame.columns), frame.to_numpy().tolist()), markup=False)


def _times(console: Console, seconds: dict[str, float], whole: float) -> None:
    console.print("\n[bold]Seconds[/bold] (what was found earlier is not computed again)")
    console.print("  " + ", ".join(f"{name} {value:.1f}" for name, value in seconds.items()), markup=False)
    console.print(f"  this run {whole:.1f}\n")
    console.print("Open the notebook with: [bold]make lab[/bold]")
