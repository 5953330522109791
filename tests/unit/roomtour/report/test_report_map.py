import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from instructions.records import SceneObject
from recon.geometry import Pose
from recon.records import SceneModel
from roomtour.drawing.map import footprint, lay_out_map
from roomtour.drawing.svg import LETTER_SHARE, LabelPlacer, around
from roomtour.export.core.records import RunData
from tests.support.runs.made_tour import make_run
from tests.support.runs.read_page import ReadPage


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> RunData:
    return make_run(tmp_path_factory.mktemp("frames"), "relative", pictures=False)


def draw(run: RunData, model: SceneModel | None = None, objects: tuple[SceneObject, ...] | None = None) -> str:
    items = dict(enumerate(run.objects if objects is None else objects, start=1))
    return lay_out_map(model or run.scene.models[0], run.trajectories, items, run.scene.frame_by_index).picture


def numbers(svg: str) -> np.ndarray:
    return np.array([float(text) for text in re.findall(r"-?\d+\.?\d*", svg)])


def move(run: RunData, factor: float, shift: np.ndarray) -> tuple[SceneModel, tuple[SceneObject, ...]]:
    model = run.scene.models[0]
    poses = {frame: Pose(pose.rotation, factor * pose.center + shift) for frame, pose in model.world_from_cam.items()}
    tracks = replace(model.tracks, xyz=factor * model.tracks.xyz + shift)
    objects = []
    for item in run.objects:
        x, y, z = factor * np.array(item.obb.center) + shift
        dx, dy, dz = factor * np.array(item.obb.half_extents)
        obb = replace(item.obb, center=(float(x), float(y), float(z)), half_extents=(float(dx), float(dy), float(dz)))
        objects.append(replace(item, obb=obb))
    return replace(model, world_from_cam=poses, tracks=tracks), tuple(objects)


def test_map_does_not_depend_on_origin_or_size_of_the_world(run: RunData, subtests: pytest.Subtests):
    for factor, shift in ((1.0, (100.0, -50.0, 3.0)), (0.02, (0.0, 0.0, 0.0)), (7.0, (-3.0, 9.0, 0.0))):
        with subtests.test(str(factor)):
            before, after = numbers(draw(run)), numbers(draw(run, *move(run, factor, np.array(shift))))
            assert len(before) == len(after)
            assert np.abs(before - after).max() < 0.25


def test_a_thing_at_the_edge_is_drawn_whole(run: RunData):
    """Its center lies at the end of what the path and points need, so half of it would be cut off."""
    model, item = run.scene.models[0], run.objects[0]
    highest = model.centers[np.argmax(model.centers[:, 1])]
    obb = replace(item.obb, center=(float(highest[0]), float(highest[1]), 0.5), half_extents=(0.2, 2.0, 0.5))
    svg = draw(run, objects=(replace(item, obb=replace(obb, rotation=((1, 0, 0), (0, 1, 0), (0, 0, 1)))),))
    height = float(re.findall(r'viewBox="0 0 [\d.]+ ([\d.]+)"', svg)[0])
    corners = numbers(re.findall(r'class="layer-objects".*?points="([^"]+)"', svg)[0]).reshape(-1, 2)
    assert corners.min() > 0
    assert corners[:, 1].max() < height


def test_every_decision_and_object_is_drawn_and_only_those_of_texts_are_named(run: RunData):
    page = ReadPage(draw(run))
    assert len(page.of_class("positive")) == len(page.of_class("negative")) == 3
    assert len(page.of_class("object")) == len(run.objects)
    for item in run.objects:
        assert item.alias in page.text
    items = dict(enumerate(run.objects, start=1))
    svg = str(lay_out_map(run.scene.models[0], run.trajectories, items, run.scene.frame_by_index, named=[1]).picture)
    assert svg.count('class="badge"') == 1
    assert svg.count("object faint") == len(items) - 1


def test_far_points_and_things_do_not_stretch_the_map(run: RunData):
    model = run.scene.models[0]
    xyz = model.tracks.xyz.copy()
    xyz[::100] += 1e4
    stretched = draw(run, replace(model, tracks=replace(model.tracks, xyz=xyz)))
    before, after = ([float(found["cx"]) for found in ReadPage(svg).named("circle")] for svg in (draw(run), stretched))
    assert len(before) == 7
    assert after == pytest.approx(before, abs=1.0)
    near = run.objects
    far = replace(near[0], id="far", obb=replace(near[0].obb, center=(500.0, 0.0, 1.0)))
    with_far = draw(run, objects=(*near, far))
    assert view_box(with_far) == view_box(draw(run, objects=near))
    assert with_far.count('class="object"') == len(near)


def test_a_gap_is_dashed_and_a_camera_that_looks_down_has_a_place(run: RunData):
    model = run.scene.models[0]
    assert not ReadPage(draw(run)).of_class("gap")
    kept = {frame: pose for frame, pose in model.world_from_cam.items() if not 30 <= frame <= 40}
    assert len(ReadPage(draw(run, replace(model, world_from_cam=kept))).of_class("gap")) == 1
    model = run.scene.models[0]
    down = Pose(np.diag([1.0, -1.0, -1.0]), model.centers[4])
    poses = {**model.world_from_cam, model.frames[4]: down}
    assert ReadPage(draw(run, replace(model, world_from_cam=poses))).of_class("terminal")


@given(angle_deg=st.floats(-180, 180))
def test_footprint_keeps_the_area_of_an_upright_box(run: RunData, angle_deg: float):
    yaw = np.radians(angle_deg)
    rotation = ((np.cos(yaw), -np.sin(yaw), 0.0), (np.sin(yaw), np.cos(yaw), 0.0), (0.0, 0.0, 1.0))
    item = run.objects[0]
    corners = footprint(replace(item, obb=replace(item.obb, rotation=rotation, half_extents=(1.0, 0.5, 2.0))))
    x, y = corners.T
    area = abs(float(np.sum(x * np.roll(y, 1) - y * np.roll(x, 1)))) / 2
    assert area == pytest.approx(2.0, rel=1e-4)


@given(st.lists(st.tuples(st.text("abc ", min_size=1, max_size=20), st.floats(0, 400), st.floats(0, 300)), max_size=25))
def test_labels_never_cover_each_other_or_leave_the_drawing(wanted: list[tuple[str, float, float]]):
    labels = LabelPlacer(400, 300)
    boxes = []
    for text, x, y in wanted:
        spot = labels.place(text, 13.0, [(x, y), *around(x, y, 40, 16)])
        if spot:
            half = len(text) * 13.0 * LETTER_SHARE / 2
            boxes.append((spot[0] - half, spot[1] - 6.5, spot[0] + half, spot[1] + 6.5))
    for row, a in enumerate(boxes):
        assert a[0] >= 0
        assert a[1] >= 0
        assert a[2] <= 400
        assert a[3] <= 300
        assert not any(a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3] for b in boxes[:row])


def view_box(svg: str) -> str:
    found = re.search(r'viewBox="([^"]+)"', svg)
    assert found is not None
    return found.group(1)
