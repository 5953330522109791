"""What pictures say, in the upright scene: a known house, and a double that knows its surfaces and sizes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from recon.geometry import Sim3, angle_between_deg
from recon.records import (
    CEILING,
    DOOR_HEIGHT,
    FLOOR,
    THING,
    UNNAMED,
    WALL,
    ExpectedSize,
    Scale,
    Scene,
    SceneModel,
    SizeWitness,
    SubModel,
    Tracks,
)
from recon.upright.gravity import estimate_up
from recon.upright.ground import find_floor
from recon.upright.scene import SceneOptions, build_scene
from recon.upright.scene_io import read_scene, write_scene
from tests.support.recon.made_house import (
    SOURCE,
    frames_of,
    make_house,
    random_sim3,
    room_points,
    sub_model_of,
    walk_around,
)

HOUSE = make_house()
CENTERS = np.array([pose.center for pose in HOUSE.world_from_cam.values()])
TRUE_M = {DOOR_HEIGHT: 2.05, "table height": 0.75, "counter height": 0.9, "ceiling height": 2.5}


@dataclass
class KnownSizes:
    """Measures what is there: true sizes in the model's unit, and remembers the model it was shown."""

    sizes_m: dict[str, tuple[float, ...]]
    usual_m: dict[str, float] = field(default_factory=lambda: dict(TRUE_M))
    house_m: float = 1.0
    """How large the house is; the camera's height follows."""
    shown: list[SceneModel] = field(default_factory=list)

    def surfaces(self, tracks: Tracks) -> NDArray[np.uint8]:
        """Nobody knows."""
        return np.full(len(tracks.xyz), UNNAMED, dtype=np.uint8)

    def sizes(self, model: SceneModel) -> Sequence[SizeWitness]:
        """True sizes times the unit that the model's path tells."""
        self.shown.append(model)
        truth = self.house_m * np.array([HOUSE.world_from_cam[frame].center for frame in model.frames])
        unit_from_metre = Sim3.fit(model.centers, truth).scale
        return [
            SizeWitness(name, tuple(unit_from_metre * size for size in sizes), self._usual(name), 0.02, 0.8)
            for name, sizes in self.sizes_m.items()
        ]

    def _usual(self, name: str) -> tuple[ExpectedSize, ...]:
        return (ExpectedSize(self.usual_m[name], 0.04, 1.0),)


ALL = {name: (size,) for name, size in TRUE_M.items()}


def build(evidence: KnownSizes | None, seed: int = 1, **options: object) -> Scene:
    return build_scene(
        "tour",
        SOURCE,
        frames_of(40),
        (),
        [sub_model_of(HOUSE, seed=seed)],
        evidence=evidence,
        **options,  # type: ignore[arg-type]
    )


def camera_height(scene: Scene) -> float:
    return float(np.median(scene.models[0].centers[:, 2]))


def codes(scene: Scene) -> list[str]:
    return [finding.code for finding in scene.findings]


def test_the_height_of_the_camera_follows_the_house_not_the_unit(subtests):
    """The same pictures of a larger house: the camera was carried at 1.2 to 1.8 m, and doors say so."""
    for house_m in [0.8, 1.0, 1.2]:
        with subtests.test(house_m=house_m):
            evidence = KnownSizes(ALL, house_m=house_m)
            scene = build(evidence)
            (model,) = scene.models
            assert model.scale.status == "metric"
            assert camera_height(scene) == pytest.approx(1.5 * house_m, rel=0.04)
            assert abs(np.log(camera_height(scene) / (1.5 * house_m))) < 2 * model.scale.sigma
            assert float(np.median(evidence.shown[0].centers[:, 2])) == pytest.approx(
                1.5
            )  # measured at the prior's scale
            assert {one.name for one in model.witnesses} == {"camera height", *TRUE_M}
            door = next(one for one in model.witnesses if one.name == DOOR_HEIGHT)
            assert door.measured * model.scale.factor == pytest.approx(2.05, rel=0.05)
            assert "scene.scale_assumed" not in codes(scene)
    scales = [build(KnownSizes(ALL), seed=seed).models[0] for seed in (1, 2)]
    heights = [float(np.median(model.centers[:, 2])) for model in scales]
    assert heights[0] == pytest.approx(heights[1], rel=0.02)
    assert scales[0].scale.factor != pytest.approx(scales[1].scale.factor, rel=0.1)


def test_without_sizes_everything_is_as_without_pictures():
    plain, looked = build(None), build(KnownSizes({}))
    assert looked.models[0].scale == plain.models[0].scale
    assert looked.models[0].witnesses == ()
    assert looked.findings == plain.findings
    np.testing.assert_array_equal(looked.models[0].centers, plain.models[0].centers)


def test_too_few_kinds_stay_assumed_but_count():
    scene = build(KnownSizes({DOOR_HEIGHT: (2.05,)}, house_m=1.2))
    assert scene.scale_status == "assumed"
    assert 1.6 < camera_height(scene) < 1.85
    assert scene.models[0].scale.sigma < 0.15
    assert "scene.scale_assumed" in codes(scene)


def test_a_kind_that_disagrees_is_a_finding():
    scene = build(KnownSizes({**ALL, "counter height": (1.9,)}))
    (message,) = [finding.message for finding in scene.findings if finding.code == "scene.scale_disputed"]
    assert "counter height 1.9" in message
    assert camera_height(scene) == pytest.approx(1.5, rel=0.04)


def test_sizes_that_are_odd_are_never_metric(subtests):
    wrong = {**TRUE_M, DOOR_HEIGHT: 1.6}
    scene = build(KnownSizes({name: (size,) for name, size in wrong.items()}, wrong))
    assert scene.scale_status == "assumed"
    assert "scene.door_height_odd" in codes(scene)
    for house_m in [0.4, 1.7]:
        with subtests.test(house_m=house_m):
            scene = build(KnownSizes(ALL, house_m=house_m))
            assert scene.scale_status == "assumed"
            assert camera_height(scene) == pytest.approx(1.5)
            assert "scene.camera_height_odd" in codes(scene)


def test_a_stated_scale_is_not_weighed():
    evidence = KnownSizes(ALL, house_m=1.2)
    sub_model = sub_model_of(HOUSE)
    scene = build_scene(
        "tour", SOURCE, frames_of(40), (), [sub_model], evidence=evidence, are_stated=True,
        measured_scales={sub_model.name: Scale("metric", 1.0, 0.02, "stated")},
    )  # fmt: skip
    assert scene.models[0].scale == Scale("metric", 1.0, 0.02, "stated")
    assert evidence.shown == []


def test_a_camera_height_that_the_user_is_sure_of_wins():
    scene = build(
        KnownSizes({DOOR_HEIGHT: (2.05,)}), options=SceneOptions(camera_height_m=1.7, camera_height_sigma=0.01)
    )
    assert camera_height(scene) == pytest.approx(1.7, rel=0.02)


def test_witnesses_are_kept(tmp_path: Path):
    scene = build(KnownSizes(ALL))
    write_scene(scene, tmp_path)
    assert read_scene(tmp_path).models[0].witnesses == scene.models[0].witnesses


def name_surfaces(xyz: np.ndarray, wrong: float = 0.0, seed: int = 0) -> NDArray[np.uint8]:
    """What each point of the house lies on; a share of the points has another's name."""
    names = np.full(len(xyz), WALL, dtype=np.uint8)
    names[np.abs(xyz[:, 2] - 0.75) < 0.05] = THING
    names[np.abs(xyz[:, 2]) < 0.05] = FLOOR
    names[np.abs(xyz[:, 2] - 2.5) < 0.05] = CEILING
    rng = np.random.default_rng(seed)
    rows = rng.random(len(xyz)) < wrong
    names[rows] = rng.choice([UNNAMED, FLOOR, WALL, THING], int(rows.sum()))
    return names


def bare_floor(points: int) -> np.ndarray:
    """The house with so few points on the floor."""
    rng = np.random.default_rng(4)
    floor = np.column_stack([rng.uniform(-2.5, 2.5, points), rng.uniform(-1.8, 1.8, points), np.zeros(points)])
    house = room_points(floor=False)
    return np.vstack([house[house[:, 2] > 0.03], floor + rng.normal(0, 0.012, floor.shape)])


def test_a_bare_floor_is_found_by_names_of_which_some_may_be_wrong(subtests):
    for wrong in [0.0, 0.2]:
        with subtests.test(wrong=wrong):
            points = bare_floor(12)
            alone = find_floor(points, CENTERS)
            assert alone is None or abs(alone) > 0.3  # the table, or nothing
            named = find_floor(points, CENTERS, name_surfaces(points, wrong))
            assert named is not None
            assert named == pytest.approx(0.0, abs=0.02)
    points = room_points()
    for seed in range(3):
        floor_z = find_floor(points, CENTERS, name_surfaces(points, wrong=0.4, seed=seed))
        assert floor_z is not None
        assert floor_z == pytest.approx(0.0, abs=0.02)


def test_named_floor_decides_the_vertical_with_the_rest():
    motion, points = random_sim3(0), room_points(0)
    poses = [motion.move_camera(pose) for pose in walk_around().values()]
    up = estimate_up(poses, motion @ points, surfaces=name_surfaces(points, wrong=0.2), seed=0)
    assert angle_between_deg(up.up, motion.rotation[:, 2]) < 0.8


def test_a_bed_called_floor_does_not_tilt_the_world():
    """A slanted patch with a wrong name: walls and the level walk outvote it."""
    points = room_points()
    rng = np.random.default_rng(0)
    patch = np.column_stack([rng.uniform(1, 2.5, 60), rng.uniform(-1, 1, 60), np.zeros(60)])
    patch[:, 2] = 0.3 + 0.2 * patch[:, 0]
    names = name_surfaces(points)
    names[names == FLOOR] = UNNAMED
    both = np.vstack([points, patch])
    surfaces = np.concatenate([names, np.full(60, FLOOR, np.uint8)])
    up = estimate_up(list(walk_around().values()), both, surfaces=surfaces)
    assert angle_between_deg(up.up, [0, 0, 1]) < 1.5


@dataclass
class KnownSurfaces(KnownSizes):
    """Knows the house's points by the ids that its reconstruction gives them."""

    world: np.ndarray = field(default_factory=lambda: np.zeros((0, 3)))

    def surfaces(self, tracks: Tracks) -> NDArray[np.uint8]:
        """True names."""
        return name_surfaces(Sim3.fit(self.world, tracks.xyz) @ tracks.xyz)


def test_a_scene_takes_the_surfaces_of_its_own_points():
    """Names follow the points into the scene, whatever frame and unit they are in."""
    points = bare_floor(12)
    house = make_house(points=points)
    sub_model: SubModel = sub_model_of(house, seed=3)
    rows = [(point - 7) // 3 for point in sorted(sub_model.reconstruction.point3D_ids())]
    (model,) = build_scene(
        "tour", SOURCE, frames_of(40), (), [sub_model], evidence=KnownSurfaces({}, world=points[rows])
    ).models
    assert model.floor_z == 0.0
    truth = np.array([pose.center for pose in house.world_from_cam.values()])
    assert Sim3.fit(truth, model.centers).scale == pytest.approx(1.0, abs=0.03)
