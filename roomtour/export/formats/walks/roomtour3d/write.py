"""RoomTour3D's three files, as the reference loader reads them.

`p1_train_colmap_trajectory_tour3d.json` (one record per decision point), `geo_trajectory.pkl` (where each view is) and
`p1_train_reformat.json` (descriptions). Tours of the split `val` go to files named `p1_val_...`.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from recon.conventions import compass_yaw_deg, elevation_deg, wrap_deg
from recon.pictures import write_picture_file
from recon.records import SceneModel
from roomtour.export.core.ledger import AddRow, ExportOptions, Ledger
from roomtour.export.core.pickles import AddEntry, open_pickle
from roomtour.export.core.records import RunData
from roomtour.export.core.run_files import read_image
from roomtour.export.core.walks.guided_paths import GuidedPath, guide_decisions, thin
from roomtour.export.formats.walks.roomtour3d.features import CONVENTION as FEATURES_CONVENTION
from roomtour.export.formats.walks.roomtour3d.features import REFERENCE_SIZE, FeatureFiles, TransformersEncoder

RECORDS, DESCRIBED = "p1_{split}_colmap_trajectory_tour3d.json", "p1_{split}_reformat.json"
GEOMETRY_FILE = "geo_trajectory.pkl"
MAX_IMAGES = 36
"""The loader subsamples more at random, and loses their order."""
QUESTION = "Describe the way the camera takes through the home."
DESCRIPTIONS: dict[str, tuple[str, str]] = {
    "description": ("video_desc", QUESTION),
    "rooms": ("video_desc_roomloc", "Which rooms does the camera go through, in order?"),
    "room_objects": ("video_desc_roomobj", "Describe the way by the rooms and the things in them."),
    "room_objects_spatial": (
        "video_desc_roomobj_spatial",
        "Describe the way by the rooms and where the things in them are.",
    ),
    "room_objects_target": ("video_desc_roomobj_target", "Describe the way to the thing it ends at."),
}
"""The loader's type and our question, by the kind of text."""

CONVENTION = """\
* World: right-handed, z up, metres.
* `geo_trajectory.pkl`: `pos` is the camera centre; `yaw` in degrees is the compass angle of the optical axis,
  atan2(dx, dy): 0 towards +y, clockwise; `pitch` in degrees is its elevation above the horizon.
* `heading` in radians is the compass angle (the same as `yaw`) of path[0].
* View names: `{videoId}_output_frame_{frame:04d}.png`, the frame number of the run's `frames/` folder.
* `longId` names the right view first, then the wrong ones.
* Steps in the label balance: the heading changes by more than 15 degrees (left or right) or not (forward)."""

_TURN_DEG = 15.0
_LEVEL = 1e-3
"""Length on the floor of a direction below which it has no heading."""


@dataclass(frozen=True, kw_only=True)
class Roomtour3dOptions(ExportOptions):
    """Options of the format; its limits (4 to 15 views, 36 images) are the reference loader's and fixed."""

    features: str = ""
    """Image encoder (local folder, or id in the Hugging Face cache) whose vectors go to the feature files; empty
    writes none. The reference model takes 1024 numbers per view, those of EVA-CLIP-02-L: with `roomtour[timm]`, that is
    `timm/eva02_large_patch14_clip_336.merged2b_s6b_b61k`."""
    copy_images: bool = False
    """Also write the views as PNG under the names that the files use, such as for computing features elsewhere; the
    reference loader reads vectors and no pictures."""


PICTURES = "frames"
PICTURES_CONVENTION = """\
* `frames/{videoId}/output_frame_{frame:04d}.png`: the pictures of all views that the files name, without loss from the
  run's JPEG; a view `{videoId}_output_frame_{frame:04d}.png` and an `image_id` both lead there."""


def image_name(frame: int) -> str:
    """How a description calls a view."""
    return f"output_frame_{frame:04d}.png"


def view_name(video_id: str, frame: int) -> str:
    """How the loader names a view."""
    return f"{video_id}_{image_name(frame)}"


def write(runs: Iterable[RunData], ledger: Ledger, options: Roomtour3dOptions) -> None:
    """Write the files of all tours, one tour at a time."""
    out: Path = ledger.out
    add_places = ledger.files.enter_context(open_pickle(out / GEOMETRY_FILE))
    add_record, describe = ledger.open_rows(RECORDS, options, "records"), ledger.open_rows(DESCRIBED, options)
    features: FeatureFiles | None = None
    if options.features:
        ledger.card_notes += [line.removeprefix("* ") for line in FEATURES_CONVENTION.split("\n* ")]
        features = ledger.files.enter_context(FeatureFiles(ledger.out, TransformersEncoder(options.features)))
    ledger.counts.update({"records": 0, "instructions": 0, "descriptions": 0, "geometry frames": 0})
    if options.copy_images:
        ledger.card_notes += [line.removeprefix("* ") for line in PICTURES_CONVENTION.split("\n* ")]
        ledger.counts["pictures"] = 0
    for run in runs:
        if features is not None:
            features.begin_tour(run)
        views = _write_tour(run, ledger, add_places, add_record, features)
        views |= _write_descriptions(run, ledger, describe, features)
        if options.copy_images:
            _write_pictures(run, views, out)
            ledger.counts["pictures"] += len(views)
    if features is not None and features.size not in (0, REFERENCE_SIZE):
        message = f"vectors have {features.size} numbers, the reference model takes {REFERENCE_SIZE}"
        ledger.warn("export.feature_size", options.features, message)
    if not ledger.counts["records"]:
        ledger.warn(
            "export.no_records",
            "dataset",
            "no decision point lies on the way of an accepted instruction, so nothing is left to train on",
        )


def _write_tour(
    run: RunData, ledger: Ledger, add_places: AddEntry, add: AddRow, features: FeatureFiles | None
) -> set[int]:
    """Geometry and records of a tour. Gives the frames that the records name."""
    scene = run.scene
    named: set[int] = set()
    if scene.models and all(m.scale.status == "relative" for m in scene.models):
        message = f"its scale is relative ({scene.models[0].scale.source}); only its descriptions are written"
        ledger.warn("export.no_scale", f"tour {scene.id}", message)
    for model in scene.models:
        if model.scale.status == "relative":
            texts = run.list_accepted("navigation")
            unscaled = sum(text.model == model.name and text.kind not in DESCRIPTIONS for text in texts)
            ledger.dropped["text of a way without a scale"] += unscaled
            continue
        colmap_id = f"{scene.id}_m{model.name}"
        places = {
            frame: {"pos": pose.center.tolist(), "yaw": compass_yaw_deg(pose), "pitch": elevation_deg(pose)}
            for frame, pose in model.world_from_cam.items()
            if math.hypot(*pose.forward[:2]) >= _LEVEL
        }
        ledger.dropped["frame that looks straight up or down"] += len(model.frames) - len(places)
        add_places(colmap_id, places)
        ledger.counts["geometry frames"] += len(places)
        for trajectory in run.trajectories:
            if trajectory.model != model.name:
                continue
            guided_paths, dropped = guide_decisions(trajectory, run.instructions, places)
            ledger.dropped.update(dropped)
            for number, guided in enumerate(guided_paths):
                record = _record(scene.id, colmap_id, f"{trajectory.id}_{number:04d}", guided, model)
                add(record)
                named.update(guided.frames, guided.candidates)
                if features is not None:
                    views = [(view_name(scene.id, frame), frame) for frame in guided.frames]
                    features.add_path(str(record["longId"]), views, guided.candidates)
                ledger.counts["instructions"] += len(guided.texts)
                ledger.labels.update(_actions(guided.frames, model))
    return named


def _record(video_id: str, colmap_id: str, path_id: str, guided: GuidedPath, model: SceneModel) -> dict[str, object]:
    start = model.world_from_cam[guided.frames[0]]
    return {
        "path_id": path_id,
        "videoId": video_id,
        "longId": f"{colmap_id}|{'%'.join(str(frame) for frame in guided.candidates)}",
        "optView": view_name(video_id, guided.choice),
        "path": [view_name(video_id, frame) for frame in guided.frames],
        "heading": math.radians(compass_yaw_deg(start)),
        "instructions": list(guided.texts),
    }


def _write_descriptions(run: RunData, ledger: Ledger, add: AddRow, features: FeatureFiles | None) -> set[int]:
    """One item per way and type, with a question for each of its descriptions. Gives the frames that the items name.

    Descriptions need neither poses nor a scale: those of models without a scale and of frames without poses are kept.
    """
    tour = run.scene.id
    named: set[int] = set()
    by_way: dict[tuple[tuple[int, ...], str], list[tuple[str, str]]] = defaultdict(list)
    for instruction in (*run.instructions, *run.unposed_descriptions):
        if not instruction.accepted:
            ledger.dropped["rejected text"] += 1
        elif instruction.kind in DESCRIPTIONS:
            text = " ".join(instruction.text.split())
            by_way[instruction.views, instruction.kind].append((instruction.id, text))
    for (frames, kind), texts in by_way.items():
        type_name, question = DESCRIPTIONS[kind]
        annotation = [
            {"question_id": f"{tour}_{name}", "question": question, "answers": [text]} for name, text in texts if text
        ]
        if not frames or not annotation:
            ledger.dropped["description without views or text"] += len(texts)
            continue
        shown = thin(sorted(set(frames)), MAX_IMAGES)
        images = [{"image_id": image_name(frame)} for frame in shown]
        if features is not None:
            features.add_description([(view_name(tour, frame), frame) for frame in shown])
        add({"videoId": tour, "type": type_name, "image_info": images, "annotation": annotation})
        ledger.counts["descriptions"] += len(annotation)
        named.update(shown)
    return named


def _write_pictures(run: RunData, frames: Iterable[int], out: Path) -> None:
    own = out / PICTURES / run.scene.id
    own.mkdir(parents=True, exist_ok=True)
    for frame in sorted(frames):
        path = run.frames_dir / run.scene.frame_by_index[frame].image
        write_picture_file(own / image_name(frame), read_image(path, run.scene.id))


def _actions(frames: tuple[int, ...], model: SceneModel) -> list[str]:
    """What a walker does from view to view, and at the last one."""
    yaws = [compass_yaw_deg(model.world_from_cam[frame]) for frame in frames]
    turns = [wrap_deg(after - before) for before, after in pairwise(yaws)]
    return [("right" if t > 0 else "left") if abs(t) > _TURN_DEG else "forward" for t in turns] + ["stop"]
