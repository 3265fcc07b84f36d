"""What each command prints, on a workspace that the fakes described."""

from __future__ import annotations

import json
import os
import pty
import shutil
import subprocess

import pytest

import vidbench as vb
from vidbench.contract.describe import Describe
from vidbench.contract.validation import parse


def test_describe_prints_title_and_segments(run, described):
    """A description that is there is shown again, without new work."""
    ran = run("describe", "short.mp4", "--workspace", described)

    assert ran.code == 0
    assert "short.mp4" in ran.out
    assert "00:20" in ran.out


def test_describe_as_json_is_the_contracts_object(run, described):
    """stdout holds one JSON object and nothing else."""
    ran = run("--json", "describe", "short.mp4", "--workspace", described)

    assert ran.json["status"] == "completed"
    assert parse(Describe, ran.json).data is not None


def test_progress_goes_to_stderr_with_stage_and_share(start, short_clip, tmp_path):
    """Where there is no terminal, progress is plain lines."""
    process = start("describe", short_clip, "--no-enable-summary", "--workspace", tmp_path / "w")
    out, err = process.communicate(timeout=120)

    assert process.returncode == 0, err
    assert "%" not in out
    assert [stage for stage in ("scan", "speech", "scene_text") if f"short.mp4: {stage}, " not in err] == []


def test_a_terminal_sees_a_bar(start, short_clip, tmp_path):
    """On a terminal the bar shows name and share."""
    ours, theirs = pty.openpty()
    variables = {"VIDBENCH_FAKE_DELAY": "0.05", "TERM": "xterm", "COLUMNS": "100"}
    process = start("describe", short_clip, "--workspace", tmp_path / "w", stderr=theirs, variables=variables)
    os.close(theirs)
    out, _ = process.communicate(timeout=120)
    seen = _drained(ours)

    assert process.returncode == 0, seen
    assert "━" in seen
    assert "short.mp4" in seen
    assert "━" not in out


def test_several_files_are_a_list(run, described, short_clip, tmp_path):
    """``--json`` prints one list object for several files."""
    (tmp_path / "videos").mkdir()
    shutil.copy(short_clip, tmp_path / "videos" / "one.mp4")
    ran = run("segment", "short.mp4", tmp_path / "videos" / "one.mp4", "--json", "--workspace", described)

    assert ran.code == 0
    assert ran.json["object"] == "list"
    assert [one["status"] for one in ran.json["data"]] == ["completed", "completed"]


def test_segment_reads_its_flags(run, described):
    """Windows of ten seconds fall where they must."""
    ran = run("segment", "short.mp4", "--window-seconds", "10", "--json", "--workspace", described)

    spans = [(one["start_time"], one["end_time"]) for one in ran.json["data"]["segments"]]
    assert spans[:2] == [(0.0, 10.0), (10.0, 20.0)]
    assert ran.json["segmentation_config"]["uniform_config"]["window_seconds"] == 10.0


def test_a_value_out_of_range_is_named_and_leaves_nothing(run, described):
    """The engine's check names the field; the exit code is that of wrong usage."""
    before = run("jobs", "--json", "--workspace", described).json["total"]
    ran = run("segment", "short.mp4", "--window-seconds", "0", "--workspace", described)

    assert ran.code == 2
    assert ran.err.startswith("vidbench: ")
    assert "window_seconds" in ran.err
    assert run("jobs", "--json", "--workspace", described).json["total"] == before


def test_add_takes_a_folder_and_tells_what_it_skipped(run, short_clip, tmp_path):
    """What is no video is named, the rest is taken."""
    folder = tmp_path / "talks"
    folder.mkdir()
    shutil.copy(short_clip, folder / "good.mp4")
    (folder / "bad.mp4").write_bytes(b"this is no video")
    ran = run("add", folder, "--json", "--workspace", tmp_path / "w")

    assert ran.code == 0
    assert ran.json["filename"] == "good.mp4"
    assert "skipped bad.mp4" in ran.err


@pytest.mark.parametrize("name", ["nowhere.mp4", "text.mp4"])
def test_a_file_that_cannot_be_added_is_one_line(name, run, tmp_path):
    """No such file, or no video: the file is named and nothing is printed on stdout."""
    (tmp_path / "text.mp4").write_text("not a video")
    ran = run("add", tmp_path / name, "--workspace", tmp_path / "w")

    assert ran.code in {1, 2}
    assert ran.out == ""
    assert name in ran.err
    assert len(ran.err.splitlines()) == 1


def test_a_name_that_is_neither_file_nor_known_says_what_to_give(run, described):
    """The hint tells how to list the names."""
    ran = run("describe", "nothing.mp4", "--workspace", described)

    assert ran.code == 1
    assert "neither a file here nor in the workspace" in ran.err
    assert "vidbench sql" in ran.err


def test_ask_prints_the_answer(run, described):
    """As text with its citations, as JSON the contract's chat completion with real usage."""
    said = run("sql", "select text from speech order by start_time limit 1", "--json", "--workspace", described).json
    question = f"What about {said['rows'][0]['text']}?"
    text = run("ask", question, "--workspace", described)
    answer = run("ask", question, "--json", "--workspace", described).json

    assert text.code == 0
    assert answer["object"] == "chat.completion"
    assert answer["choices"][0]["message"]["content"].split()[0] in text.out
    assert answer["usage"]["total_tokens"] > 0


def test_asking_a_collection_that_is_not_there_fails(run, described):
    """A misspelt name never makes a new, empty collection."""
    ran = run("ask", "What?", "--collection", "tlaks", "--workspace", described)

    assert ran.code == 1
    assert "tlaks" in ran.err


def test_collections_are_made_filled_and_listed(run, described):
    """The built-in collection comes first."""
    made = run("collections", "create", "talks", "--description", "of May", "--json", "--workspace", described)
    filled = run("collections", "add", "talks", "short.mp4", "--json", "--workspace", described)
    listed = run("collections", "--json", "--workspace", described)
    again = run("collections", "create", "talks", "--workspace", described)

    assert made.json["name"] == "talks"
    assert filled.json["file_count"] == 1
    assert [one["name"] for one in listed.json["data"]][:2] == ["all", "talks"]
    assert again.code == 1
    assert "talks" in again.err


def test_sql_prints_a_table_or_a_query_result(run, described):
    """Parameters go in in order; numbers are numbers, text is text."""
    query = "select ? + 1 as number, ? as word, null as nothing, 0.1::double as tenth"
    table = run("sql", query, "--param", "41", "--param", "licence", "--workspace", described)
    result = run("sql", query, "--param", "41", "--param", "licence", "--json", "--workspace", described).json

    assert "42" in table.out
    assert result["object"] == "query_result"
    assert result["rows"] == [{"number": 42, "word": "licence", "nothing": None, "tenth": 0.1}]
    assert [column["name"] for column in result["columns"]] == ["number", "word", "nothing", "tenth"]


def test_sql_reads_standard_input(start, described):
    """A dash is the query of a pipe."""
    process = start("sql", "-", "--json", "--workspace", described, stdin=subprocess.PIPE)
    out, err = process.communicate("select count(*) as files from files", timeout=60)

    assert process.returncode == 0, err
    assert json.loads(out)["rows"][0]["files"] >= 1


@pytest.mark.parametrize("query", ["delete from speech", "select 1; select 2", "select * from nowhere", "selec"])
def test_sql_that_is_not_one_select_is_refused(query, run, described):
    """One line says what is wrong."""
    ran = run("sql", query, "--workspace", described)

    assert ran.code in {1, 2}
    assert ran.err.startswith("vidbench: ")
    assert ran.out == ""


@pytest.mark.parametrize(
    ("style", "opening"), [("srt", "1\n00:00"), ("vtt", "WEBVTT"), ("markdown", "#"), ("json", "{")]
)
def test_export_writes_every_format(style, opening, run, described):
    """Each format begins as it must."""
    ran = run("export", "short.mp4", "--format", style, "--workspace", described)

    assert ran.code == 0
    assert ran.out.startswith(opening)


def test_export_writes_a_file(run, described, tmp_path):
    """The text lies in the file, and stdout is empty."""
    target = tmp_path / "short.srt"
    ran = run("export", "short.mp4", "--output", target, "--workspace", described)

    assert ran.code == 0
    assert ran.out == ""
    assert "-->" in target.read_text(encoding="utf-8")


def test_export_to_nowhere_and_in_no_format_is_told(run, described, tmp_path):
    """The folder that is missing and the format that is not there are named."""
    nowhere = run("export", "short.mp4", "--output", tmp_path / "no" / "f.srt", "--workspace", described)
    nothing = run("export", "short.mp4", "--format", "docx", "--workspace", described)

    assert nowhere.code == 1
    assert "cannot be written" in nowhere.err
    assert nothing.code == 2
    assert "markdown" in nothing.err


def test_jobs_are_listed_shown_and_cancelled(run, described):
    """A job is named by the beginning of its id; one that has ended stays as it is."""
    job = run("jobs", "--json", "--workspace", described).json["data"][-1]
    shown = run("jobs", "show", job["job_id"], "--workspace", described)
    cancelled = run("jobs", "cancel", job["job_id"], "--json", "--workspace", described)

    assert "scan" in shown.out
    assert cancelled.json["state"] == "completed"


@pytest.mark.parametrize("name", ["ffffffff", ""])
def test_a_job_that_is_not_or_not_only_one_is_refused(name, run, described):
    """Nothing is cancelled by mistake."""
    ran = run("jobs", "cancel", name, "--workspace", described)

    assert ran.code in {1, 2}
    assert ran.err.startswith("vidbench: ")


def test_models_show_publisher_licence_and_checksum(run, monkeypatch):
    """Whoever pulls a model sees whose it is."""
    monkeypatch.delenv("VIDBENCH_CATALOGUE")
    text = run("models")
    entries = [one["entry"] for one in run("models", "--json").json["data"]]

    assert [word for word in ("publisher", "licence", "sha256", "whisper-base") if word not in text.out] == []
    assert all(entry["publisher"] and entry["licence"] for entry in entries)


def test_a_model_that_is_not_in_the_catalogue_is_named(run):
    """The error says which names there are, or where to look."""
    ran = run("models", "pull", "gpt-9")

    assert ran.code in {1, 2}
    assert "gpt-9" in ran.err


def test_a_command_works_while_another_process_owns_the_workspace(start, described):
    """It says so on stderr; stdout stays pure JSON."""
    with vb.open(described):
        process = start("sql", "select 1 as one", "--json", "--workspace", described)
        out, err = process.communicate(timeout=60)

    assert process.returncode == 0, err
    assert json.loads(out)["rows"] == [{"one": 1}]
    assert "owned by" in err


def test_the_environment_names_the_workspace(run, described, monkeypatch):
    """``VIDBENCH_WORKSPACE`` stands where ``--workspace`` does not."""
    monkeypatch.setenv("VIDBENCH_WORKSPACE", str(described))

    assert run("sql", "select filename from files", "--json").json["row_count"] >= 1


def test_a_workspace_that_cannot_be_is_one_line(run, tmp_path):
    """A file is no folder."""
    (tmp_path / "file").write_text("")
    ran = run("jobs", "--workspace", tmp_path / "file")

    assert ran.code == 1
    assert "Traceback" not in ran.err
    assert len(ran.err.splitlines()) == 1


def _drained(descriptor: int) -> str:
    """Everything that was written to the other end of a terminal."""
    parts = []
    while True:
        try:
            part = os.read(descriptor, 65536)
        except OSError:
            break
        if not part:
            break
        parts.append(part)
    os.close(descriptor)
    return b"".join(parts).decode()
