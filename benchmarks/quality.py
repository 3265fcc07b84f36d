"""Quality beside peers: shot cuts against the truth and PySceneDetect, word errors against faster-whisper.

::

    python benchmarks/quality.py --media FOLDER [--model FOLDER] [--only shots|speech]

FOLDER holds ``shots/*.mp4`` with ``*.truth.json`` beside them (``hard_cuts_frames`` and ``fps``) and
``speech/transcripts.tsv`` (file, lang, licence, text) with its recordings. Without ``--model`` the tiny tier's speech
model is used. Both sides get the same files, the same model and the same normaliser.
"""

from __future__ import annotations

import argparse
import csv
import json
import re
import subprocess
import sys
import tempfile
import time
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import jiwer
from rich.console import Console
from rich.table import Table

from vidbench.contract.models import ModelSpec
from vidbench.contract.segmentation import Detector, ShotDetectorConfig
from vidbench.contract.validation import to_json
from vidbench.contract.work import Unit
from vidbench.media.audio import load_audio
from vidbench.media.probe import probe
from vidbench.models import Residency, pull_tier
from vidbench.operations import scan
from vidbench.perception.curve import Curve
from vidbench.perception.shots import find_cuts
from vidbench.perception.speech import FasterWhisper

DETECTORS: tuple[Detector, ...] = ("adaptive", "content")
DIRECT: dict[str, dict[str, object]] = {
    "defaults": {},
    "text not carried": {"condition_on_previous_text": False},
    "VAD filter": {"vad_filter": True},
}
"""Settings that faster-whisper is called with directly; the best of them counts."""
NAMES = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
DIGITS = {name: str(number) for number, name in enumerate(NAMES)}


class Calm:
    """An interrupt that never comes."""

    cancelled = preempted = False

    def check(self) -> None:
        """Go on."""


@dataclass(frozen=True)
class Heard:
    """What one side made of the recordings, and how long it took."""

    texts: list[str]
    seconds: float


def main() -> None:
    """Print both comparisons."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--media", type=Path, required=True)
    parser.add_argument("--model", type=Path, help="folder of a Whisper model in CTranslate2's format")
    parser.add_argument("--only", choices=("shots", "speech"))
    wish = parser.parse_args()
    console = Console(width=120)
    if wish.only != "speech":
        console.print(shots_table(sorted((wish.media / "shots").glob("*.mp4"))))
    if wish.only != "shots":
        console.print(speech_table(wish.media / "speech", wish.model or pull_tier("tiny") / "whisper-base"))


def shots_table(films: list[Path]) -> Table:
    """Cuts found by us and by the command line, and how many of them are hard cuts of the truth."""
    table = Table(
        "film",
        "detector",
        "hard cuts",
        "ours",
        "scenedetect",
        "ours right",
        "theirs right",
        "identical",
    )
    table.title = "Shot cuts (right: to the frame)"
    for film in films:
        curve, rate = scanned(film)
        truth = cuts_of(film.with_suffix(".truth.json"))
        for detector in DETECTORS:
            ours = find_cuts(curve, ShotDetectorConfig(detector=detector), rate)
            theirs = command_line(film, detector)
            right = [str(len(milliseconds(truth) & milliseconds(side))) for side in (ours, theirs)]
            same = "yes" if milliseconds(ours) == milliseconds(theirs) else "NO"
            table.add_row(film.name, detector, str(len(truth)), str(len(ours)), str(len(theirs)), *right, same)
    return table


def scanned(film: Path) -> tuple[Curve, Fraction]:
    """The score curve that our own pass leaves, and the frame rate."""
    facts = probe(film)
    with tempfile.TemporaryDirectory() as folder:
        unit = Unit(stage="scan", run_id="run", media=str(film), facts=to_json(facts), folder=folder)
        notes = [note for batch in scan.run(unit, Residency(), Calm()) for note in batch.artifacts]
        curve = Curve.load(Path(folder) / note.path for note in notes if note.kind == "curve")
    return curve, Fraction(facts.frame_rate or 0)


def cuts_of(truth: Path) -> list[float]:
    """Seconds of the hard cuts in a list of them; gradual transitions have no frame that is right."""
    said = json.loads(truth.read_text())
    return [frame / said["fps"] for frame in said.get("hard_cuts_frames", [])]


def command_line(film: Path, detector: str) -> list[float]:
    """Seconds of the cuts that ``scenedetect`` lists at its defaults."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "scenedetect", "-q", "-i", str(film), "-o", folder]
        listing = [f"detect-{detector}", "list-scenes", "-q", "-f", "cuts.csv"]
        subprocess.run([*command, *listing], check=True, capture_output=True)
        with (Path(folder) / "cuts.csv").open(newline="") as file:
            rows = [row for row in csv.reader(file) if row and row[0].isdigit()]
    return [float(row[3]) for row in rows][1:]


def milliseconds(cuts: list[float]) -> set[int]:
    """Cuts as the command line prints them."""
    return {round(cut * 1000) for cut in cuts}


def speech_table(folder: Path, model: Path) -> Table:
    """Word error rates of each recording and of all, ours first."""
    with (folder / "transcripts.tsv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    truth = [normalised(row["text"]) for row in rows]
    paths = [folder / row["file"] for row in rows]
    sides = {"vidbench": heard(ours(model), paths)}
    for name, settings in DIRECT.items():
        sides[f"direct: {name}"] = heard(direct(model, settings), paths)
    table = Table("recording", *sides, title=f"Word error rate, % ({model.name}, {len(paths)} recordings)")
    for number, path in enumerate(paths):
        table.add_row(path.name, *[percent(truth[number], side.texts[number]) for side in sides.values()])
    table.add_section()
    table.add_row("all", *[percent(truth, side.texts) for side in sides.values()], style="bold")
    table.add_row("errors", *[str(errors(truth, side.texts)) for side in sides.values()])
    table.add_row("seconds", *[f"{side.seconds:.1f}" for side in sides.values()])
    return table


def heard(transcribe: Callable[[Path], str], paths: list[Path]) -> Heard:
    """The normalised transcripts of *paths*; loading the model is not counted."""
    transcribe(paths[0])
    begun = time.perf_counter()
    return Heard([normalised(transcribe(path)) for path in paths], time.perf_counter() - begun)


def ours(model: Path) -> Callable[[Path], str]:
    """Our whole path: probe, scan, sound of the scan, transcript."""
    spec = ModelSpec(name=model.name, role="speech", engine="faster-whisper", path=str(model), checksum="")
    whisper = FasterWhisper(spec, 2)

    def transcribe(path: Path) -> str:
        with tempfile.TemporaryDirectory() as folder:
            facts = to_json(probe(path))
            unit = Unit(stage="scan", run_id="run", media=str(path), facts=facts, folder=folder)
            notes = [note for batch in scan.run(unit, Residency(), Calm()) for note in batch.artifacts]
            (audio,) = (load_audio(Path(folder) / note.path) for note in notes if note.kind == "audio")
        lines = whisper.transcribe(audio, language=None, start=0.0, interrupt=Calm())
        return " ".join(line.text for line in lines)

    return transcribe


def direct(model: Path, settings: dict[str, object]) -> Callable[[Path], str]:
    """The library called by itself on the file."""
    from faster_whisper import WhisperModel

    whisper = WhisperModel(str(model), device="auto", compute_type="int8", cpu_threads=2)

    def transcribe(path: Path) -> str:
        segments, _ = whisper.transcribe(str(path), word_timestamps=True, **settings)
        return " ".join(segment.text for segment in segments)

    return transcribe


def normalised(text: str) -> str:
    """Lower-case words without punctuation; numbers digit by digit, so that their spelling is no error.

    Example:
        >>> normalised("Dial 2 now, it's 28.8!"), normalised("dial two now its 28 8")
        ('dial 2 now its 2 8 8', 'dial 2 now its 2 8 8')
    """
    plain = unicodedata.normalize("NFKC", text).lower().replace("\u2019", "'").replace("'", "")
    return " ".join(DIGITS.get(word, word) for word in re.findall(r"\d|[^\W\d_]+", plain))


def percent(truth: str | list[str], said: str | list[str]) -> str:
    """A word error rate for a table."""
    return f"{100 * jiwer.wer(truth, said):.1f}"


def errors(truth: list[str], said: list[str]) -> int:
    """Words that are wrong, missing or too many."""
    counted = jiwer.process_words(truth, said)
    return counted.substitutions + counted.deletions + counted.insertions


if __name__ == "__main__":
    main()
