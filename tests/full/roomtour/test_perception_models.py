"""`--perception models` through the whole pipeline, with tiny random checkpoints and no hub.

The checkpoints know nothing, so what is asserted is plumbing, shapes and rules; what the joining of detections is worth
is measured on the made apartment (`tests/unit/instructions/perception/test_join_objects.py`).
"""

import json
import shutil
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

import roomtour
from instructions.perception.frames.model_depth import depth_in_model
from instructions.perception.frames.results import DEPTH_STEP_PX
from instructions.perception.frames.tags import names_a_room
from instructions.perception.masks import decode_mask
from instructions.perception.rooms.priors import room_priors
from recon.geometry import Sim3
from recon.upright.metric_scale import scale_of_sub_model
from roomtour.cli import main
from roomtour.files.arrays import read_depth
from roomtour.files.frames import read_source
from roomtour.files.models import read_sub_models
from roomtour.trial.rendered import RenderedTour
from tests.support.doubles.made_checkpoints import write_checkpoint

MODELS = {
    "tags": "siglip",
    "regions": "florence2",
    "boxes": "mm-grounding-dino",
    "masks": "sam",
    "depth": "depth-anything-metric",
}
PASSES = ("embeddings", "words", "regions", "depth", "boxes", "masks")


@pytest.fixture(scope="module")
def flags(tmp_path_factory) -> list[str]:
    folder = tmp_path_factory.mktemp("checkpoints")
    chosen = ["--perception", "models", "--workers", "1", "--vision.device", "cpu", "--vision.box-threshold", "0.02"]
    for ability, kind in MODELS.items():
        chosen += [f"--vision.{ability}.model", str(write_checkpoint(kind, folder / kind))]
    return chosen


def process(video: Path, run: Path, flags: Sequence[str]) -> roomtour.Run:
    assert main(["process", str(video), "--out", str(run), *flags]) == 0
    return roomtour.Run(run)


@pytest.fixture(scope="module")
def models_run(finished_run, short_walk, flags, tmp_path_factory) -> Path:
    """The finished embedded run, gone on with models."""
    run = tmp_path_factory.mktemp("models") / "run"
    shutil.copytree(finished_run, run)
    process(short_walk, run, flags)
    return run


def index_of(run: Path) -> dict[str, dict]:
    return {one["kind"]: one for one in json.loads((run / "vision" / "index.json").read_text())["passes"]}


def list_written(run: Path) -> dict[Path, int]:
    """Every result file of the models, and when it was written."""
    return {path: path.stat().st_mtime_ns for path in (run / "vision").rglob("0*") if path.is_file()}


def test_only_the_stages_that_rest_on_perception_ran_again(finished_run, models_run):
    embedded, models = roomtour.Run(finished_run), roomtour.Run(models_run)
    same = [name for name in models.stages if models.stages[name].finished == embedded.stages[name].finished]
    assert same[:5] == ["sample", "clips", "features", "sfm", "merge"]
    assert index_of(finished_run) == {}
    assert (embedded.frame_rooms, embedded.room_spans, embedded.detections) == ((), (), ())
    assert embedded.stages["vision"].counts == {"models": 0}
    assert models.stages["scene"].key != embedded.stages["scene"].key


def test_every_frame_was_looked_at_by_every_model(models_run):
    run, passes = roomtour.Run(models_run), index_of(models_run)
    assert tuple(passes) == PASSES
    frames = len(run.scene.frames)
    for kind, one in passes.items():
        assert len(list((models_run / "vision" / one["folder"]).iterdir())) == frames, kind
        assert run.stages["vision"].counts[f"{kind} computed"] == frames
    assert passes["depth"]["is_metric"]
    assert passes["masks"]["source"].startswith("sam@local-")
    run = roomtour.Run(models_run)
    kinds = {prior.name for prior in room_priors()}
    room_of = {room.frame: room.room for room in run.frame_rooms}
    assert set(room_of.values()) <= kinds, "what random networks see may be no room at all"
    covered = [frame for span in run.room_spans for frame in range(span.first_frame, span.last_frame + 1)]
    assert covered == sorted(room_of)
    assert all(line.room == room_of.get(line.frame) for line in run.spatial_lines)
    assert {thing.room for thing in run.objects} <= {*kinds, None}


def test_detections_objects_and_observations_belong_together(models_run):
    run = roomtour.Run(models_run)
    assert run.detections
    frames = run.scene.frame_by_index
    for one in run.detections:
        size = frames[one.frame]
        assert not names_a_room(one.label)
        assert 0 <= one.box_xyxy[0] < one.box_xyxy[2] <= size.width
        assert len(one.sides) == 1
        assert one.depth_stats is not None
        assert one.depth_stats.known == 1.0
        assert one.mask is not None
        assert decode_mask(one.mask).shape == (size.height, size.width)
    run = roomtour.Run(models_run)
    assert run.objects, "random boxes are random, but the same in every frame"
    ids = {thing.id: thing for thing in run.objects}
    for one in run.observations:
        assert one.frame in ids[one.object].frames
        assert one.label
        assert one.mask is not None
    for thing in run.objects:
        assert len(thing.frames) >= 3
        assert thing.likely_category
        assert thing.source.startswith("mm-grounding-dino@local-")
    assert any(thing.category for thing in run.objects)
    assert run.instructions or run.rejected_instructions


def test_depth_is_kept_in_the_unit_of_the_model_and_metres_of_a_random_network_are_not_believed(models_run):
    run = roomtour.Run(models_run)
    model = run.scene.models[0]
    folder = models_run / "vision" / index_of(models_run)["depth"]["folder"]
    for frame in model.frames[::9]:
        with np.load(folder / f"{frame:06d}.npz") as file:
            raw = file["value"].astype(np.float32)
        tied = depth_in_model(model, frame, raw, DEPTH_STEP_PX, is_metric=True)
        assert tied is not None
        np.testing.assert_allclose(read_depth(models_run / "perception" / "depth", frame), tied.depth, rtol=2e-3)
    run = roomtour.Run(models_run)
    model = run.scene.models[0]
    assert model.scale.status == "assumed"
    assert np.median(model.centers[:, 2]) == pytest.approx(1.5, abs=0.05)
    (finding,) = [finding for finding in run.findings if finding.code == "scene.camera_height_odd"]
    assert "depth-anything-metric@local-" in finding.message


def test_a_second_run_costs_nothing(models_run, short_walk, flags):
    before, manifest = list_written(models_run), (models_run / "manifest.json").read_text()
    run = process(short_walk, models_run, flags)
    assert list_written(models_run) == before
    assert json.loads(manifest)["stages"] == json.loads((models_run / "manifest.json").read_text())["stages"]
    assert run.stages["vision"].counts["boxes computed"] == len(run.scene.frames)


def test_what_was_looked_at_is_not_looked_at_again(models_run, short_walk, flags, tmp_path):
    """After a run was killed; and with another threshold, only for boxes and the masks in them."""
    run = shutil.copytree(models_run, tmp_path / "run")
    lost = next((run / "vision" / "boxes").rglob("000007.json"))
    lost.unlink()
    assert main(["process", str(short_walk), "--out", str(run), *flags, "--force", "vision", "--until", "vision"]) == 0
    counts = roomtour.Run(run).stages["vision"].counts
    assert {kind: counts[f"{kind} computed"] for kind in PASSES} == {**dict.fromkeys(PASSES, 0), "boxes": 1}
    assert lost.exists()
    other = [*flags, "--vision.box-threshold", "0.03", "--until", "vision"]
    assert main(["process", str(short_walk), "--out", str(run), *other]) == 0
    counts = roomtour.Run(run).stages["vision"].counts
    assert {kind for kind in PASSES if counts[f"{kind} computed"]} == {"boxes", "masks"}
    assert index_of(run)["depth"] == index_of(models_run)["depth"]
    assert index_of(run)["boxes"] != index_of(models_run)["boxes"]


def test_true_metric_depth_gives_the_true_scale(kept_run, short_walk):
    """Depth cast from the truth of the rendered walk, against the tracks of its real reconstruction."""
    (model,) = read_sub_models(kept_run / "recon" / "merged")
    frames = {frame.index: frame for frame in read_source(kept_run / "source.json").frames}
    tour = RenderedTour(short_walk.with_suffix(""), step_px=DEPTH_STEP_PX)
    wanted = model.frames[::6]
    views = dict(zip(wanted, tour.views([frames[index].time_s for index in wanted]), strict=True))
    scale = scale_of_sub_model(
        model, lambda frame: views[frame].depth if frame in views else None, DEPTH_STEP_PX, "truth"
    )
    poses = {index: model.reconstruction.images[index].cam_from_world().inverse() for index in model.frames}
    true_centers = np.array([views[index].world_from_cam.center for index in wanted])
    true_from_model = Sim3.fit(true_centers, np.array([poses[index].translation for index in wanted]))
    assert scale.factor == pytest.approx(true_from_model.scale, rel=0.03)
    assert scale.sigma < 0.15
