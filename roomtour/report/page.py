"""The page itself: the parts in their order, in one file that asks nothing of any other host."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from markupsafe import Markup

from instructions.asking.counts import Reach
from instructions.records import SceneObject
from recon.numerals import count
from recon.records import MergeAttempt, Scene, SceneModel
from roomtour.drawing.colors import time_color
from roomtour.drawing.floor_plan import choose_named, floor_of
from roomtour.drawing.map import lay_out_map
from roomtour.drawing.pages import render
from roomtour.drawing.text import clock, flatten, printable
from roomtour.drawing.thumbnails import Thumbnails, spread
from roomtour.export.core.records import RunData
from roomtour.files.models import SubModelEntry
from roomtour.report.instructions import InstructionView, choose_gallery, choose_strips, draw_gallery, draw_instructions
from roomtour.report.kinds import SECTIONS, draw_kind, list_frames, pick_examples
from roomtour.report.merge_log import draw_merges
from roomtour.report.tables import (
    clip_table,
    draw_findings,
    health_table,
    model_table,
    object_table,
    scale_table,
)
from roomtour.report.timeline import draw_timeline
from roomtour.store import StageEntry
from roomtour.summary import say_yield, scale_phrase, summarize
from roomtour.verdict import group_causes, judge

MAX_MAPS = 6
LAYERS = (
    ("floor", "floor"),
    ("points", "points"),
    ("objects", "objects"),
    ("turns", "view changes"),
    ("choices", "decision points"),
)


def draw_maps(data: RunData, numbered: Mapping[int, SceneObject]) -> Markup:
    """Maps of the largest models; says how many are left out. A scan without cameras has no way to draw."""
    walked = [model for model in data.scene.models if model.frames]
    return render(
        "report/maps.html",
        maps=[_map(data, model, numbered) for model in walked[:MAX_MAPS]],
        more=len(walked) - MAX_MAPS,
        layers=LAYERS,
        ramp=[time_color(share) for share in (0, 1 / 3, 2 / 3, 1)],
    )


def _map(data: RunData, model: SceneModel, numbered: Mapping[int, SceneObject]) -> dict[str, object]:
    """What the figure of one model shows."""
    frames = data.scene.frame_by_index
    walks = [trajectory for trajectory in data.trajectories if trajectory.model == model.name]
    objects = {key: item for key, item in numbered.items() if item.model == model.name}
    floor = floor_of(data, model)
    present = {
        "floor": floor is not None,
        "points": len(model.tracks.xyz) > 0,
        "objects": bool(objects),
        "turns": any(walk.view_changes for walk in walks),
        "choices": any(walk.decisions for walk in walks),
    }
    named = choose_named(data, objects)
    times = [frames[frame].time_s for frame in model.frames if frame in frames]
    return {
        "model": model,
        "present": {layer for layer, is_there in present.items() if is_there},
        "picture": lay_out_map(model, walks, objects, frames, named, floor).picture,
        "first": clock(times[0]) if times else "start",
        "last": clock(times[-1]) if times else "end",
        "words": _words(model, present, len(objects) - len(named)),
        "named": {key: objects[key] for key in named},
    }


def _words(model: SceneModel, present: Mapping[str, bool], unnamed: int) -> str:
    parts = ["Small arrow heads point where the camera looks."]
    if present["floor"]:
        parts.append("Light floor was walked or seen across, dark is wall or furniture.")
        parts.append("Bars are doorways, with a square where the walk went through.")
    if present["turns"]:
        parts.append("Arrows turn from the old view to the new one (L left, R right); thin ones while walking.")
    if present["choices"]:
        parts.append("At a decision point ✓ is the view of the right way and ✗ of a wrong one.")
    if unnamed:
        parts.append(f"{count(unnamed, 'object')} that no text speaks of: faint, without a name, or beyond the map.")
    if model.scale.status == "relative":
        parts.append("The scale is unknown, so there is no scale bar.")
    return " ".join(parts)


MAX_CONTACT_SHEET = 48


@dataclass(frozen=True)
class RunFacts:
    """How the run went. Everything may be empty; the page then leaves the part out."""

    stages: Mapping[str, StageEntry] = field(default_factory=dict)
    """In the order they ran."""
    options: Mapping[str, object] = field(default_factory=dict)
    """Option values by stage, nested as in the YAML file."""
    versions: Mapping[str, str] = field(default_factory=dict)
    """Software versions by package name."""
    not_asked: Mapping[str, Mapping[str, Mapping[str, int]]] = field(default_factory=dict)
    """By kind of data: how often by reason and type."""
    reach: Mapping[str, Reach] = field(default_factory=dict)
    """By kind of data: how much of the tour it asks about, and what would add most."""


def build_page(
    data: RunData,
    facts: RunFacts,
    merge_attempts: Sequence[MergeAttempt] = (),
    sub_models: Sequence[SubModelEntry] = (),
) -> str:
    """The report of a run as one offline HTML file; without models it says why and what to try."""
    scene = data.scene
    summary = summarize(data)
    thumbnails = Thumbnails(scene.frame_by_index, data.frames_dir)
    sheet = [frame.index for frame in spread(scene.frames, MAX_CONTACT_SHEET)]
    seen = {(observation.frame, observation.object): observation for observation in data.observations}
    strips = choose_strips(data.instructions, seen)
    kinds = [(section, data.rows[section.kind]) for section in SECTIONS if section.kind in data.rows]
    examples = {section.kind: pick_examples(section, rows) for section, rows in kinds}
    thumbnails.embed(sheet)
    thumbnails.embed(frame for strip in strips.values() for frame in strip)
    gallery = choose_gallery(data.objects, data.observations)
    thumbnails.embed(gallery.values())
    for section, _ in kinds:
        thumbnails.embed(list_frames(section, examples[section.kind]))
    numbered = dict(enumerate(data.objects, start=1))
    view = InstructionView(
        thumbnails=thumbnails,
        time_s={frame.index: frame.time_s for frame in scene.frames},
        width_px={frame.index: frame.width for frame in scene.frames},
        number_of={item.id: key for key, item in numbered.items()},
        objects={item.id: item for item in data.objects},
        seen=seen,
    )
    models = {model.name: model for model in scene.models}
    merges = draw_merges([entry.name for entry in sub_models], merge_attempts)
    has_walk = bool(scene.models or data.instructions)
    sections: list[tuple[str, str, Markup | None]] = [
        ("map", "Map", draw_maps(data, numbered) if scene.models else None),
        ("instructions", "Along the walk", draw_instructions(data.instructions, strips, view) if has_walk else None),
        *(
            (
                section.kind,
                section.title,
                draw_kind(
                    section,
                    rows,
                    examples[section.kind],
                    facts.not_asked.get(section.kind, {}),
                    facts.reach.get(section.kind),
                    thumbnails,
                    view.width_px,
                ),
            )
            for section, rows in kinds
            if rows or facts.not_asked.get(section.kind)
        ),
    ]
    scales = [model.scale for model in scene.models]
    figures = render(
        "report/figures.html",
        summary=summary,
        scale_phrase=scale_phrase(summary),
        yields=say_yield(summary.families, summary.span_s),
        scale_sources=list(dict.fromkeys(scale.source for scale in scales if scale.source)),
    )
    folds: list[tuple[str, str, Markup | None]] = [
        ("findings", "Findings", draw_findings(scene.findings)),
        ("figures", "Figures", figures),
        ("things", "Named things", draw_gallery(data.objects, gallery, view)),
        ("objects", "Objects", object_table(numbered, models) if numbered else None),
        ("timeline", "Timeline", draw_timeline(scene, data.trajectories)),
        ("frames", "Contact sheet", _contact_sheet(scene, sheet, thumbnails)),
        ("clips", "Clips", clip_table(scene, sub_models) if scene.clips else None),
        ("models", "Models", model_table(scene) if scene.models else None),
        ("scale", "Scale", scale_table(scene)),
        ("health", "Health of the models", health_table(scene)),
        ("merges", "Merge log", merges if scene.models or merge_attempts else None),
        ("stages", "Stages", render("report/stages_table.html", rows=facts.stages) if facts.stages else None),
        ("provenance", "Provenance", _provenance(data, facts)),
    ]
    verdict = judge(scene, scene.findings)
    causes = [cause for cause in group_causes(scene.findings) if cause.head.severity != "info"]
    return render(
        "report/page.html",
        title=f"{printable(scene.id)} – roomtour report",
        script="",
        definitions=thumbnails.definitions(),
        summary=summary,
        verdict=verdict,
        more_causes=sum(cause.head.code not in verdict.codes[:1] for cause in causes),
        weakest_scale=next((scale for scale in scales if scale.status == summary.scale_status), None),
        errors=[finding for finding in scene.findings if finding.severity == "error"],
        sections=[section for section in sections if section[2] is not None],
        folds=[fold for fold in folds if fold[2] is not None],
    )


def _contact_sheet(scene: Scene, sheet: Sequence[int], thumbnails: Thumbnails) -> Markup:
    model_of: dict[int, str] = {}
    for model in reversed(scene.models):
        model_of.update(dict.fromkeys(model.frames, model.name))
    return render(
        "report/contact_sheet.html",
        sheet=[scene.frame_by_index[index] for index in sheet],
        frames=len(scene.frames),
        model_of=model_of,
        unreadable=sum(not thumbnails.has(index) for index in sheet),
        thumbnails=thumbnails,
    )


def _provenance(data: RunData, facts: RunFacts) -> Markup:
    folds = (("Options", facts.options), ("Software versions", facts.versions), ("Manifest", data.provenance))
    return render(
        "report/provenance.html",
        source=data.scene.source,
        tour=data.facts,
        folds=[(title, flatten(values)) for title, values in folds],
    )
