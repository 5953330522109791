"""A dataset of every format and what it is made of, made once when asked for and shared by all tests that read it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path

import cv2
import numpy as np
import pytest

from benchmarks.dialogues import cast_depth, know_tour
from instructions.dialogues.options import CloudOptions, DialogueOptions
from instructions.dialogues.tour import TalkTour
from instructions.dialogues.writer import DialogueRows, write_dialogues
from instructions.questions.core.options import ChoiceOptions, SpatialOptions
from instructions.questions.writers.views import write_questions
from instructions.regions.records import Choice, ChoiceSet, MentionedRegion, Pair, Qar, Region, RegionView
from instructions.tour import Tour
from roomtour.cli import main
from roomtour.export import ExportReport, RunData, export_runs
from roomtour.export.registry import FORMATS, get_format, parse_options
from roomtour.files.arrays import STEP_PX, write_depth_map
from roomtour.imports.records import ImportOptions
from roomtour.imports.write import import_run
from roomtour.pipeline import make_data
from roomtour.run import Run
from tests.support.export.breaking import frames_on_disk
from tests.support.export.made_run import make_run
from tests.support.export.program_runs import make_program_run
from tests.support.imports.made_images import write_images
from tests.support.imports.made_sprite import write_sprite
from tests.support.worlds.apartment_surfaces import Surfaces
from tests.support.worlds.box_rooms import Block, make_room

ALL_SPATIAL = SpatialOptions(
    choice=ChoiceOptions(rows_per_view=0, rows_per_pair=0, again_m=0, halves=False, thing_share=0)
)
BOXES = {
    "a.png": ([[10, 150, 310, 350], [500, 160, 560, 250], [380, 30, 470, 120]], ["sofa", "vase", "lamp"]),
    "b.png": ([[200, 100, 520, 320], [20, 100, 90, 220]], ["bed", "chair"]),
}
"""Boxes and labels of two pictures of 640 x 400."""


def make_spatial_tour(name: str, frames: Path, tall: bool = True, shift: float = 0.0) -> RunData:
    """A view of four things; the lamp is taller than the chair, or the other way round."""
    blocks = (
        Block("chair", (4.0 + shift, 1.0, 0.45), (0.5, 0.5, 0.9)),
        Block("lamp", (5.5, -1.0 - shift, 0.9 if tall else 0.25), (0.4, 0.4, 1.8 if tall else 0.5)),
        Block("table", (5.0, 0.2, 0.4), (0.9, 0.9, 0.8)),
        Block("table", (6.5, 2.2 + shift, 0.55), (1.3, 0.9, 1.1)),
    )
    room = make_room(blocks)
    scene = replace(room.scene, id=name)
    rows = write_questions(Tour(scene, room.objects, room.observations, exact=True), ALL_SPATIAL).rows
    return RunData(scene, (), room.objects, room.observations, (), {"spatial": rows}, frames, {})


def import_regions(home: Path, boxes: dict[str, tuple[list, list]] = BOXES) -> Run:
    """Pictures of noise with boxes, and region knowledge of them."""
    (home / "pictures").mkdir(parents=True)
    noise = np.random.default_rng(0)
    lines = []
    for name, (given, labels) in boxes.items():
        cv2.imwrite(str(home / "pictures" / name), noise.integers(0, 255, (400, 640, 3), dtype=np.uint8))
        lines.append(json.dumps({"image": name, "boxes_xyxy": given, "labels": labels}))
    (home / "boxes.jsonl").write_text("\n".join(lines), encoding="utf-8")
    options = ImportOptions(detections=home / "boxes.jsonl", keep_all=True)
    import_run(home / "pictures", "images", home / "run", options)
    assert main(["make", str(home / "run"), "--data", "regions"]) == 0
    return Run(home / "run")


def with_choices(run: Run) -> RunData:
    """The run with a comparison task of each shape about its first view, and a pair."""
    view, row = run.region_views[0], run.rows("regions")[0]

    def options(count: int, right: int) -> tuple[Choice, ...]:
        truths = [float(place == right) for place in range(count)]
        return tuple(
            Choice(f"[0] is number {k}.", row.id, true, None if true else "no") for k, true in enumerate(truths)
        )

    sets = (
        ChoiceSet("c1", row.tour, view.id, "vcr", row.id, None, "What?", options(4, 2), options(4, 1)),
        ChoiceSet("c2", row.tour, view.id, "comparison", row.id, 0, None, options(10, 3)),
        ChoiceSet("c3", row.tour, view.id, "acc50", row.id, 0, None, options(50, 49)),
    )
    pairs = tuple(Pair(f"p{k}", row.id, view.id, "side", "Where?", "Here.", f"There {k}.", "no") for k in range(20))
    return replace(run.data, region_choices=sets, region_pairs=pairs)


def tell_regions(run: RunData) -> RunData:
    """The run with a view of its first thing, and three questions about it."""
    thing, seen = run.objects[0], run.observations[0]
    region = Region(0, thing.id, "chair", None, (), seen.box_xyxy, None, 0.8, 1.0, False, 1.0, "made")
    frame = run.scene.frame_by_index[seen.frame]
    view = RegionView("v", run.scene.id, thing.model, seen.frame, frame.image, frame.width, frame.height, (region,), 0)
    told = (
        ("kind", "[0] is a chair.", "chair"),
        ("colour", "[0] is red.", "red"),
        ("use", "It is there to sit on.", None),
    )
    rows = tuple(
        Qar(
            id=f"q_{task}", tour=run.scene.id, model=thing.model, views=(seen.frame,), scale_status="assumed",
            perception="made", writer="embedded", seed=0, accepted=True, view=view.id, mode="id", type="Type id",
            task=task, question="What of [0]?", answer=answer, rationale="As measured.", mentioned=(0,),
            regions=(MentionedRegion(0, thing.id, seen.box_xyxy),), verdicts=(), checked_share=None, solution=solution,
        )
        for task, answer, solution in told
    )  # fmt: skip
    return replace(run, rows={**run.rows, "regions": rows}, region_views=(view,))


@dataclass(frozen=True)
class Made:
    """How a dataset is made: its format, the runs it is of, and what is chosen."""

    format: str
    runs: str
    kinds: tuple[str, ...] | None = None
    options: tuple[str, ...] = ()


DATASETS = {
    "roomtour3d": Made("roomtour3d", "walk"),
    "roomtour3d with pictures": Made("roomtour3d", "walk", options=("copy_images=true",)),
    "tum": Made("tum", "walk"),
    "colmap": Made("colmap", "walk"),
    "jsonl": Made("jsonl", "walk"),
    "nerfstudio": Made("nerfstudio", "walk"),
    "rerun": Made("rerun", "walk"),
    "llava": Made("llava", "walk"),
    "llava of videos": Made("llava", "program_tours", ("programs",), ("videos=true",)),
    "llava of boxes": Made("llava", "regions", ("regions",), ("references=boxes",)),
    "messages": Made("messages", "spatial", ("spatial",)),
    "messages of videos": Made("messages", "program_tours", ("programs",), ("videos=true",)),
    "spatialrgpt": Made("spatialrgpt", "spatial", ("spatial",)),
    "vlmeval": Made("vlmeval", "spatial", ("spatial",)),
    "vlmeval of dialogues": Made("vlmeval", "dialogues", ("dialogues",)),
    "tool_calls": Made("tool_calls", "thinking"),
    "vsibench": Made("vsibench", "program_tours"),
    "cambrian-p": Made("cambrian-p", "program_tours"),
    "verl": Made("verl", "program_tours"),
    "sprite": Made("sprite", "sprite"),
    "r2r": Made("r2r", "walk"),
    "vlnce": Made("vlnce", "walk"),
    "hf": Made("hf", "walk"),
    "hf of regions": Made("hf", "regions", ("regions",)),
    "streamvln": Made("streamvln", "walk"),
    "navila": Made("navila", "walk"),
    "uninavid": Made("uninavid", "walk"),
    "internnav": Made("internnav", "walk"),
    "gnm": Made("gnm", "walk"),
    "waypoints": Made("waypoints", "walk", options=("period_s=0.6666667",)),
    "lerobot": Made("lerobot", "walk"),
    "lskd": Made("lskd", "regions", ("regions",)),
    "lskd-benchmark": Made("lskd-benchmark", "regions", ("regions",)),
    "swift": Made("swift", "regions", ("regions",)),
    "swift of dialogues": Made("swift", "dialogues", ("dialogues",)),
    "osprey": Made("osprey", "regions", ("regions",)),
    "gar": Made("gar", "told", ("regions",)),
    "videorefer": Made("videorefer", "told", ("regions",)),
    "lamm": Made("lamm", "clouds", ("dialogues",)),
    "lamm-benchmark": Made("lamm-benchmark", "clouds", ("dialogues",)),
    "pointllm": Made("pointllm", "clouds", ("dialogues",)),
    "llava3d": Made("llava3d", "clouds", ("dialogues",)),
    "embodiedscan": Made("embodiedscan", "clouds"),
}
"""By what a test calls them; every format is there."""
FORMATS_HERE = [name for name in FORMATS if name != "rerun" or find_spec("rerun") is not None]
"""Formats that can be written with what is installed."""
DATASETS_HERE = [name for name, made in DATASETS.items() if made.format in FORMATS_HERE]


class MadeDatasets:
    """Runs of every kind of data and the datasets of them. Read them; what you change, put right again."""

    def __init__(self, folder: Path) -> None:
        self.path = folder
        self._folders: dict[str, Path] = {}
        self.reports: dict[str, ExportReport] = {}

    def __getitem__(self, name: str) -> Path:
        """The folder of a dataset."""
        if name not in self._folders:
            self._folders[name] = self.path / "out" / name.replace(" ", "_")
            self.reports[name] = self.export(name, self._folders[name])
        return self._folders[name]

    def report(self, name: str) -> ExportReport:
        """What was told of a dataset when it was exported."""
        assert self[name].is_dir()
        return self.reports[name]

    def export(
        self, name: str, out: Path, *options: str, change: Callable[[RunData], RunData] | None = None
    ) -> ExportReport:
        """Export once more, with further options, or from runs that are changed."""
        made = DATASETS[name]
        runs: list[RunData] = getattr(self, made.runs)
        kind = get_format(made.format)
        chosen = parse_options(kind, [*made.options, *options])
        return export_runs(map(change, runs) if change else runs, made.format, out, chosen, kinds=made.kinds)

    @cached_property
    def walk(self) -> list[RunData]:
        """The corner walk with texts about it."""
        return [make_run(frames_dir=frames_on_disk(self.path / "walk" / "frames"))]

    @cached_property
    def spatial(self) -> list[RunData]:
        """Spatial questions about two tours of one view, with its depth."""
        home = self.path / "spatial"
        frames = frames_on_disk(home / "frames", 1, 640, 480)
        depth = np.tile(np.linspace(1.0, 8.0, 160, dtype=np.float32), (120, 1))
        depth[:10] = np.nan
        (home / "perception" / "depth").mkdir(parents=True)
        write_depth_map(home / "perception" / "depth", 1, depth)
        return [make_spatial_tour(f"home{k}", frames, tall=k != 2) for k in (1, 2)]

    @cached_property
    def program_tours(self) -> list[RunData]:
        """Questions answered by programs about two tours of a home."""
        return [make_program_run(number, self.path / "programs") for number in (0, 1)]

    @cached_property
    def region_run(self) -> Run:
        """Region knowledge of two pictures."""
        return import_regions(self.path / "regions")

    @cached_property
    def regions(self) -> list[RunData]:
        """The same with choices and pairs."""
        return [with_choices(self.region_run)]

    @cached_property
    def told(self) -> list[RunData]:
        """The corner walk with region knowledge of its one thing."""
        return [tell_regions(self.walk[0])]

    @cached_property
    def thinking_run(self) -> Run:
        """Spatial questions about pictures from outside, with thinking."""
        home = self.path / "thinking"
        write_images(home / "pictures", rolls=(0.0, 4.0, -4.0, 8.0, -8.0, 12.0))
        import_run(home / "pictures", "images", home / "run")
        make_data(home / "run", ["spatial"])
        return Run(home / "run")

    @cached_property
    def thinking(self) -> list[RunData]:
        """The same as data."""
        return [self.thinking_run.data]

    @cached_property
    def sprite(self) -> list[RunData]:
        """A scene of SPRITE's files."""
        source = write_sprite(self.path / "sprite" / "files")
        return [import_run(source, "sprite", self.path / "sprite" / "run").data]

    @cached_property
    def _apartment(self) -> tuple[Surfaces, TalkTour, Path]:
        surfaces = Surfaces()
        tour = know_tour(surfaces, np.arange(0.0, 74.7, 6.0).tolist())[0]
        return surfaces, tour, frames_on_disk(self.path / "apartment" / "frames")

    @cached_property
    def dialogues(self) -> list[RunData]:
        """Dialogues about single views of the made apartment, every task."""
        _, tour, frames = self._apartment
        options = replace(DialogueOptions(medium="view"), tasks_per_view=0, rows_per_thing=100)
        return [_run_of(tour, write_dialogues(tour, options), frames)]

    @cached_property
    def few_dialogues(self) -> list[RunData]:
        """Dialogues about single views of the made apartment, as many as are written unasked."""
        _, tour, frames = self._apartment
        return [_run_of(tour, write_dialogues(tour, DialogueOptions(medium="view")), frames)]

    @cached_property
    def clouds(self) -> list[RunData]:
        """Dialogues about views and clouds of the made apartment."""
        surfaces, tour, frames = self._apartment
        # Every frame is seen once: a second view agrees with few points, so points are not asked to agree closely.
        options = DialogueOptions(clouds=CloudOptions(step_px=8, voxel_m=0.03, agree_m=0.3))
        written = write_dialogues(tour, options, depth_of=lambda model: cast_depth(surfaces, model))
        (frames.parent / "dialogues" / "clouds").mkdir(parents=True)
        for made in written.clouds:
            np.save(frames.parent / "dialogues" / made.cloud.path, made.xyz_rgb)
        (frames.parent / "perception" / "depth").mkdir(parents=True)
        for model in tour.scene.models:
            for frame in model.frames:
                wall = np.full((-(-model.camera.height // STEP_PX), -(-model.camera.width // STEP_PX)), 2.0, np.float32)
                write_depth_map(frames.parent / "perception" / "depth", frame, wall)
        run = _run_of(tour, written, frames)
        objects = tuple(replace(one, frames=one.frames or (1, 2, 3)) for one in run.objects)
        return [replace(run, objects=objects, clouds=tuple(made.cloud for made in written.clouds))]


def _run_of(tour: TalkTour, written: DialogueRows, frames: Path) -> RunData:
    objects, observations = tuple(tour.objects), tuple(tour.observations)
    return RunData(tour.scene, (), objects, observations, (), {"dialogues": written.rows}, frames, {})


_MADE: list[MadeDatasets] = []


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> MadeDatasets:
    """Datasets of all formats, made when they are asked for; the same ones in all folders of tests that take this."""
    if not _MADE:
        _MADE.append(MadeDatasets(tmp_path_factory.mktemp("datasets")))
    return _MADE[0]
