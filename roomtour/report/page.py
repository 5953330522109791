"""The page itself: the parts in their order, in one file that asks nothing of any other host."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from recon.records import MergeAttempt, Scene
from roomtour.drawing.document import document
from roomtour.drawing.markup import Child, Markup, join, tag
from roomtour.drawing.text import clock, count, duration, flatten, printable
from roomtour.drawing.thumbnails import Thumbnails, spread
from roomtour.export.core.records import RunData
from roomtour.report.findings import draw_findings
from roomtour.report.headline import draw_errors, draw_headline, draw_no_model
from roomtour.report.health import health_table
from roomtour.report.instructions import InstructionView, choose_strips, draw_instructions
from roomtour.report.map_section import draw_maps
from roomtour.report.merge_log import merge_graph, merge_table
from roomtour.report.records import RunFacts, SubModelSummary
from roomtour.report.tables import clip_table, model_table, named_values, object_table, stage_table
from roomtour.report.timeline import draw_timeline
from roomtour.summary import summarize

MAX_CONTACT_SHEET = 48


def write_report(
    data: RunData,
    facts: RunFacts,
    path: Path,
    merge_attempts: Sequence[MergeAttempt] = (),
    sub_models: Sequence[SubModelSummary] = (),
) -> None:
    """Write the report of a run as one offline HTML file.

    Args:
        data: The run. Without models the page says why and what to try.
        facts: Stages, options and versions.
        path: File to write; an existing one is replaced.
        merge_attempts: The merge log.
        sub_models: Reconstructions per clip before merging.

    Raises:
        OSError: If the file cannot be written.
    """
    path.write_text(build_page(data, facts, merge_attempts, sub_models), encoding="utf-8")


def build_page(
    data: RunData,
    facts: RunFacts,
    merge_attempts: Sequence[MergeAttempt] = (),
    sub_models: Sequence[SubModelSummary] = (),
) -> str:
    """The report as a string; see `write_report`."""
    scene = data.scene
    summary = summarize(data)
    thumbnails = Thumbnails(scene.frame_by_index, data.frames_dir)
    sheet = [frame.index for frame in spread(scene.frames, MAX_CONTACT_SHEET)]
    seen = {(found.frame, found.object): found for found in data.observations}
    strips = choose_strips(data.instructions, seen)
    thumbnails.embed(sheet)
    thumbnails.embed(frame for strip in strips.values() for frame in strip)
    numbered = dict(enumerate(data.objects, start=1))
    view = InstructionView(
        thumbnails=thumbnails,
        time_s={frame.index: frame.time_s for frame in scene.frames},
        width_px={frame.index: frame.width for frame in scene.frames},
        number_of={item.id: key for key, item in numbered.items()},
        objects={item.id: item for item in data.objects},
        seen=seen,
    )
    leaves = [entry.name for entry in sub_models]
    merges = (
        join(
            [tag("div", merge_graph(leaves, merge_attempts), class_="scroll", tabindex=0), merge_table(merge_attempts)]
        )
        if merge_attempts
        else tag("p", "Nothing had to be merged.", class_="none")
    )
    models = {model.name: model for model in scene.models}
    sections: list[tuple[str, str, Child]] = [
        ("findings", "Findings", draw_findings(scene.findings)),
        ("map", "From above", draw_maps(data, numbered) if scene.models else None),
        ("timeline", "Timeline", draw_timeline(scene, data.trajectories)),
        ("frames", "Contact sheet", _contact_sheet(scene, sheet, thumbnails)),
        ("clips", "Clips", clip_table(scene, sub_models) if scene.clips else None),
        ("models", "Models", model_table(scene) if scene.models else None),
        ("health", "Health of the models", health_table(scene)),
        ("merges", "Merge log", merges if scene.models or merge_attempts else None),
        ("instructions", "Instructions", draw_instructions(data.instructions, strips, view)),
        ("objects", "Objects", object_table(numbered, models) if numbered else None),
        ("stages", "Stages", stage_table(facts.stages) if facts.stages else None),
        ("provenance", "Provenance", _provenance(data, facts)),
    ]
    shown = [(anchor, title, content) for anchor, title, content in sections if content is not None]
    body = [
        thumbnails.definitions(),
        tag("a", "Skip to the findings", href="#findings", class_="skip"),
        draw_headline(summary, scene),
        tag("nav", [tag("a", title, href=f"#{anchor}") for anchor, title, _ in shown], aria_label="Parts of the page"),
        tag(
            "main",
            draw_errors(scene) if scene.models else draw_no_model(summary, scene),
            [tag("section", tag("h2", title), content, id=anchor) for anchor, title, content in shown],
        ),
        tag("footer", "Written by roomtour. This page is one file and loads nothing from elsewhere."),
    ]
    return document(f"{printable(scene.id)} – roomtour report", join(body))


def _contact_sheet(scene: Scene, sheet: Sequence[int], thumbnails: Thumbnails) -> Markup:
    if not sheet:
        return tag("p", "No frames were read.", class_="none")
    models: dict[int, str] = {}
    for model in reversed(scene.models):
        models.update(dict.fromkeys(model.frames, model.name))
    cells = []
    for index in sheet:
        frame = scene.frame_by_index[index]
        state = f"model {printable(models[index])}" if index in models else "no pose"
        label = f"Frame {index} at {clock(frame.time_s)}, {state}"
        mark = tag("span", "no pose", class_="bad") if index not in models else None
        caption = tag("span", tag("span", clock(frame.time_s)), mark, class_="when")
        cells.append(tag("li", thumbnails.show(index, label), caption, class_=None if index in models else "lost"))
    unread = len([frame for frame in sheet if not thumbnails.has(frame)])
    note = f"{len(sheet)} of {count(len(scene.frames), 'frame')}, evenly over the tour." + (
        f" {count(unread, 'image')} could not be read." if unread else ""
    )
    return join([tag("p", note, class_="none"), tag("ol", cells, class_="sheet")])


def _provenance(data: RunData, facts: RunFacts) -> Markup:
    source = data.scene.source
    licence = tag("span", "unknown: settle it before you publish anything made from this tour", class_="warn")
    about = [
        ("source", source.path),
        (
            "kind",
            f"{source.kind}, {source.width} × {source.height}, {source.fps:.2f} frames per second, {source.codec}",
        ),
        ("rotation", f"{source.rotation_deg}°" if source.rotation_deg else ""),
        ("frames in the source", str(source.frame_count)),
        ("duration", duration(source.duration_s)),
        ("licence", licence if source.licence.strip().lower() in ("", "unknown") else source.licence),
        ("SHA-256", tag("code", source.sha256)),
        ("started", facts.started.isoformat(sep=" ", timespec="seconds") if facts.started else ""),
        ("finished", facts.finished.isoformat(sep=" ", timespec="seconds") if facts.finished else ""),
    ]
    folds = [("Options", facts.options), ("Software versions", facts.versions), ("Manifest", data.provenance)]
    details = [
        tag("details", tag("summary", title), named_values([(name, value) for name, value in flatten(values)]))
        for title, values in folds
        if values
    ]
    return join([named_values(about), details])
