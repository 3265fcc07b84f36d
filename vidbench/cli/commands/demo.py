"""``demo``: the main job on one clip, from nothing to a cited answer, with the seconds of each stage."""

from __future__ import annotations

import argparse
import re
import time
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from vidbench.cli.session import follow, pulling, say, workspace
from vidbench.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.console import Console

    from vidbench.contract.chat import Citation
    from vidbench.handles import Answer, File
    from vidbench.workbench import Workbench

CLIP = "wannaworktogether.mp4"
QUESTION = "How can I share my work freely?"
ANY_QUESTION = "What is this video about?"
UNANSWERABLE = "Who won the football World Cup in 2018?"
QUERY = """select filename, count(*) as lines, round(sum(end_time - start_time), 1) as seconds_of_speech,
       round(avg(confidence), 2) as confidence
from speech group by filename"""
SHOWN_LINES = 8
WIDTH = 100


def demo(arguments: argparse.Namespace) -> int:
    """Run the main job and print what came of it; 1 if a quote is not where its citation says."""
    from rich.console import Console

    svg = getattr(arguments, "svg", None)
    console = Console(width=WIDTH, record=bool(svg), highlight=False, markup=False)
    started = time.monotonic()
    seconds = {"models": _models()}
    with workspace(arguments, default="demo-workspace") as bench:
        file = bench.add(_clip(arguments.clip))
        job = file.describe()
        follow(job)
        seconds |= {stage.name: stage.seconds for stage in job.record.stages}
        _found(console, file)
        proven = True
        for name, question in (("answer", ANY_QUESTION if arguments.clip else QUESTION), ("refusal", UNANSWERABLE)):
            begun = time.monotonic()
            proven &= _answer(console, bench, question)
            seconds[name] = time.monotonic() - begun
        _query(console, bench)
    _times(console, seconds, time.monotonic() - started)
    if svg:
        _save_picture(console, Path(svg))
    return 0 if proven else 1


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

    console.rule(file.name)
    console.print(file.title, style="bold")
    console.print(file.summary)
    _heading(console, "Segments")
    _timed(console, ((clock_text(one.start_time), one.title) for one in file.segment_summaries))
    _heading(console, "Transcript", f"the first {SHOWN_LINES} of {len(file.speech)} lines")
    _timed(console, ((clock_text(line.start_time), line.text) for line in file.speech[:SHOWN_LINES]))
    shown = file.scene_text[: 2 * SHOWN_LINES]
    _heading(console, "Scene text", f"the first {len(shown)} of {len(file.scene_text)} sightings")
    _timed(console, ((f"{clock_text(one.start_time)}-{clock_text(one.end_time)}", one.text) for one in shown))


def _answer(console: Console, bench: Workbench, question: str) -> bool:
    """Ask, print the answer with its citations, and say whether every quote is where its citation says."""
    from vidbench.display import clock_text

    answer: Answer = follow(bench.collection("all").ask(question))
    console.print(f"\nQ: {question}", style="bold")
    console.print(f"A: {answer.text}")
    checks = [(citation, _is_there(bench, citation)) for citation in answer.citations]
    _timed(
        console,
        (
            (clock_text(float(cited.start_time)), f"“{cited.text}” ({'found there' if there else 'NOT FOUND'})")
            for cited, there in checks
        ),
    )
    return all(there for _, there in checks)


def _heading(console: Console, title: str, note: str = "") -> None:
    from rich.text import Text

    console.print(Text.assemble("\n", (title, "bold"), f"  {note}" if note else ""))


def _timed(console: Console, rows: Iterable[tuple[str, str]]) -> None:
    """Lines with their times, wrapped beside them."""
    from rich.table import Table
    from rich.text import Text

    from vidbench.display.wording import one_line

    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(no_wrap=True)
    grid.add_column()
    for time_text, text in rows:
        grid.add_row(Text(f"  {time_text}", style="cyan"), Text(one_line(text)))
    console.print(grid)


def _is_there(bench: Workbench, citation: Citation) -> bool:
    """Whether the quoted words stand in the store at the cited time, looked up afresh."""
    file_id = citation.file_id
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
    _heading(console, "SQL")
    console.print(QUERY + "\n")
    console.print(table_text(list(frame.columns), frame.to_numpy(dtype=object).tolist()))


def _times(console: Console, seconds: dict[str, float], whole: float) -> None:
    _heading(console, "Seconds", "what was found earlier is not computed again")
    console.print("  " + ", ".join(f"{name} {value:.1f}" for name, value in seconds.items()))
    console.print(f"  this run {whole:.1f}\n")
    console.print("Open the notebook with: make lab")


def _save_picture(console: Console, path: Path) -> None:
    """Save what was printed as SVG; rich's own would fetch its fonts from the network."""
    picture = re.sub(r"@font-face \{.*?\}", "", console.export_svg(title="make demo"), flags=re.DOTALL)
    path.write_text(picture, encoding="utf-8")
