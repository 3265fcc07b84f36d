"""A job: where it stands, what each stage took, and what to do where it failed."""

from __future__ import annotations

from vidbench.contract.jobs import JobRecord, StageReport
from vidbench.contract.states import State
from vidbench.display.markup import Html, badge, element, note, page
from vidbench.display.wording import joined, lines_of, one_line, percent_text, wrapped

TONES = {
    State.RUNNING: "busy",
    State.COMPLETED: "good",
    State.FAILED: "bad",
    State.INTERRUPTED: "bad",
}


def job_html(job: JobRecord) -> str:
    """*job* as a card with a line for each stage."""
    error = f"{job.error} {job.hint}".strip()
    return page(
        f"Job: {_name(job)}",
        element("h3", _name(job), " ", badge(_state(job.state), TONES.get(job.state, ""))),
        None if job.state.ended else _bar(job.progress, "progress of the job"),
        element("p", _standing(job), class_="vb-faint") if _standing(job) else None,
        note(error, "bad") if error else None,
        _stages(job) if job.stages else None,
    )


def job_text(job: JobRecord) -> str:
    """*job* as plain text, a line for each stage."""
    error = f"{job.error} {job.hint}".strip()
    width = max((len(stage.name) for stage in job.stages), default=0)
    return lines_of(
        one_line(joined(f"{_name(job)}: {_state(job.state)}", _standing(job))),
        wrapped(error) if error else None,
        [f"  {stage.name:<{width}}  {_stage_text(stage)}" for stage in job.stages],
    )


def _name(job: JobRecord) -> str:
    return f"{job.operation} {job.subject_name}"


def _state(state: State) -> str:
    return state.value.replace("_", " ")


def _standing(job: JobRecord) -> str:
    """How far it is, for a job that lives; which attempt, where there were several."""
    attempt = f"attempt {job.attempt}" if job.attempt > 1 else None
    if job.state.ended:
        return attempt or ""
    eta = None if job.eta_seconds is None else f"about {job.eta_seconds:.0f} s left"
    return joined(percent_text(job.progress), job.stage, eta, attempt)


def _stages(job: JobRecord) -> Html:
    head = element("tr", *(element("th", name, scope="col") for name in ("stage", "state", "time")))
    rows = (
        element(
            "tr",
            element("td", stage.name),
            element("td", badge(_stage_state(stage), TONES.get(stage.state, ""))),
            element("td", _measure(stage)),
        )
        for stage in job.stages
    )
    table = element("table", element("thead", head), element("tbody", *rows), class_="vb-table")
    return element("div", table, class_="vb-scroll")


def _measure(stage: StageReport) -> str | Html:
    if stage.state is State.RUNNING:
        return _bar(stage.progress, f"progress of {stage.name}")
    return f"{stage.seconds:.1f} s" if stage.seconds else "-"


def _stage_state(stage: StageReport) -> str:
    return "reused" if stage.reused else _state(stage.state)


def _stage_text(stage: StageReport) -> str:
    share = percent_text(stage.progress) if stage.state is State.RUNNING else None
    return joined(_stage_state(stage), share, f"{stage.seconds:.1f} s" if stage.seconds else None)


def _bar(share: float, label: str) -> Html:
    text = percent_text(share)
    return element("progress", text, value=f"{share:.3f}", max="1", aria_label=label)
