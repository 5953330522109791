"""The top of the page: what the tour is and what came out, in figures; and what to try when nothing did."""

from __future__ import annotations

from recon.records import Scene
from roomtour.drawing.markup import Child, Markup, tag
from roomtour.drawing.text import count, duration, percent, printable
from roomtour.report.findings import severity_counts
from roomtour.report.lengths import length
from roomtour.summary import RunSummary, scale_phrase

_NO_MODEL_ADVICE = (
    "Film slowly, with the next view already in the picture, and step sideways: a camera that only turns, or stands "
    "still, has no depth to find.",
    "Keep texture in view: bare walls, glass, mirrors and darkness give nothing to match.",
    "Sample more densely when the camera moves fast: a higher --sample.fps.",
    "Check that the input is one continuous tour, not a slideshow; each cut starts a new clip.",
)


def draw_headline(summary: RunSummary, scene: Scene) -> Markup:
    """Title and headline figures."""
    figures = [
        _figure(duration(summary.duration_s), "tour"),
        _figure(summary.frames, "frames sampled"),
        _figure(percent(summary.registered_share), "frames with a pose", _level(summary.registered_share)),
        _figure(summary.models, "model" if summary.models == 1 else "models", _models_note(summary)),
        _walked(summary, scene),
        _figure(summary.view_changes, "view changes", _unless_none(summary.turns_on_the_spot, "on the spot")),
        _figure(summary.decisions, "decision points"),
        _figure(summary.objects, "objects"),
        _figure(summary.instructions_accepted, "instructions", _unless_none(summary.instructions_rejected, "rejected")),
        _figure(sum(summary.findings.values()), "findings", severity_counts(summary.findings)),
    ]
    return tag(
        "header",
        tag("p", "Room tour report", class_="over"),
        tag("h1", printable(summary.scene)),
        tag("p", printable(summary.source), class_="source"),
        tag("ul", figures, class_="figures"),
        tag("p", tag("b", "Scale: "), scale_phrase(summary), _scale_source(scene), class_=f"scale {_trust(summary)}"),
    )


def draw_errors(scene: Scene) -> Markup | None:
    """The errors of a tour that has models, where nobody can miss them; None without errors."""
    errors = [finding for finding in scene.findings if finding.severity == "error"]
    if not errors:
        return None
    said = [
        tag("li", tag("span", printable(finding.where), class_="where"), " ", finding.message) for finding in errors
    ]
    return tag("div", tag("h2", "Do not trust this tour"), tag("ul", said), class_="errors", role="alert")


def draw_no_model(summary: RunSummary, scene: Scene) -> Markup:
    """Why there is no model, as far as the findings tell, and what to try."""
    reasons = [finding for finding in scene.findings if finding.severity == "error"]
    known = "The findings below say why." if reasons else "No stage recorded a reason."
    return tag(
        "div",
        tag("h2", "No 3D model came out of this tour"),
        tag("p", f"None of its {count(summary.frames, 'frame')} got a camera pose, so there is no path, no object and "
            f"no instruction to show. {known}"),
        tag("p", tag("b", "What to try")),
        tag("ul", [tag("li", advice) for advice in _NO_MODEL_ADVICE]),
        class_="no-model", role="note",
    )  # fmt: skip


def _figure(value: Child, label: str, note: Child = None) -> Markup:
    small = tag("span", note, class_="small") if note else None
    return tag("li", tag("span", value, class_="value"), tag("span", label, class_="label"), small)


def _level(share: float) -> Markup | None:
    if share >= 0.9:
        return None
    return tag(
        "span", "some are lost" if share >= 0.5 else "most are lost" if share > 0 else "all are lost", class_="bad"
    )


def _unless_none(number: int, words: str) -> str | None:
    return f"{number} {words}" if number else None


def _models_note(summary: RunSummary) -> str | None:
    return f"largest has {percent(summary.largest_model_share)}" if summary.models > 1 else None


def _walked(summary: RunSummary, scene: Scene) -> Markup:
    if summary.path_length is None or not scene.models:
        return _figure("–", "walked", "no scale, so no metres" if scene.models else None)
    weakest = next(model.scale for model in scene.models if model.scale.status == summary.scale_status)
    return _figure(length(summary.path_length, weakest), "walked")


def _trust(summary: RunSummary) -> str:
    """Class of the scale line."""
    if not summary.models or summary.scale_status == "relative":
        return "unknown"
    return "prior" if summary.scale_status == "assumed" else "measured"


def _scale_source(scene: Scene) -> Child:
    sources = list(dict.fromkeys(model.scale.source for model in scene.models if model.scale.source))
    return f" ({'; '.join(sources)})" if sources else None
