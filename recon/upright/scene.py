"""Free-scale sub-models to one scene: upright, with a floor, in metres as far as a prior or a measurement allows.

World of each model: z up, z = 0 on the floor, the first camera above the origin and its heading along +x. Without a
floor z = 0 is the median height of the cameras.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
import pycolmap
from numpy.typing import NDArray

from recon.audit.pose_uncertainty import Assessment
from recon.audit.verdict import LEAST_FRAMES
from recon.colmap.observations import (
    enough_of,
    measure_viewing_distance,
    read_pose,
    tracks_from_colmap,
    well_triangulated,
)
from recon.errors import ReconError
from recon.findings import Finding
from recon.geometry import Camera, Sim3
from recon.numerals import count
from recon.ranges import Metres, NotNegative
from recon.records import (
    CAMERA_HEIGHT_M,
    DOOR_HEIGHT,
    Clip,
    Frame,
    PoseSigma,
    Scale,
    ScaleWitness,
    Scene,
    SceneModel,
    SizeWitness,
    SourceInfo,
    SubModel,
    Tracks,
)
from recon.upright.checks import check_scene
from recon.upright.gravity import estimate_up, level_rotation
from recon.upright.ground import find_floor, measure_floor_range
from recon.upright.metric_scale import (
    WeighedScale,
    camera_height_witness,
    depth_witness,
    no_scale,
    scale_from_camera_height,
    weigh_witnesses,
)

_LEAST_FRAMES = 2  # one pose is no walk and does not constrain the vertical
_LEAST_HEIGHT_M, _MOST_HEIGHT_M = 0.8, 2.2  # hip of a small person to above the head of a tall one
_ABOUT_NAMED = 1.45
"""Factor around a height that the user named, within which a hand goes up and down. Set by hand."""
_LEAST_DOOR_M, _MOST_DOOR_M = 1.7, 2.4  # doors of old cottages to those of tall offices
_SURE_AGREEMENT_DEG = 4.0
"""Walls and floors of a sound model agree within a degree or two; of a broken one they do not."""


@dataclass(frozen=True, kw_only=True)
class SceneOptions:
    """How sub-models become an upright scene."""

    camera_height_m: Metres = CAMERA_HEIGHT_M
    """Height of the camera above the floor in metres, held before chest or face: decides the scale where nothing else
    does, and is weighed with things of known size where pictures show them."""
    camera_height_sigma: NotNegative = 0.26
    """Relative standard deviation of that height: phones are held 0.9 to 1.8 m high, which is within two of it. Make it
    small where you know the height."""


class SceneEvidence(Protocol):
    """What the pictures say of one sub-model; whoever knows networks hands it in."""

    def surfaces(self, tracks: Tracks) -> NDArray[np.uint8]:
        """What each point (P,) lies on: `UNNAMED`, `FLOOR`, `CEILING`, `WALL` or `THING` of `recon.records`."""
        ...

    def sizes(self, model: SceneModel) -> Sequence[SizeWitness]:
        """Things of known size in an upright model with a floor, in its unit; its scale is only the prior."""
        ...


def build_scene(
    scene_id: str,
    source: SourceInfo,
    frames: Sequence[Frame],
    clips: Sequence[Clip],
    models: Sequence[SubModel],
    findings: Sequence[Finding] = (),
    options: SceneOptions = SceneOptions(),
    *,
    seed: int = 0,
    measured_scales: Mapping[str, Scale] | None = None,
    are_stated: bool = False,
    evidence: SceneEvidence | None = None,
    assessments: Mapping[str, Assessment] | None = None,
) -> Scene:
    """Stand every model upright, find its floor and give it a scale.

    Args:
        scene_id: Tour name, safe in file names.
        source: What the tour was read from.
        frames: All kept frames of the tour.
        clips: The clips they were cut into.
        models: Reconstructions in any order, frame and scale; image id = frame index.
        findings: Of earlier stages; they come first in the scene's findings.
        options: The prior for the scale.
        seed: For the plane search.
        measured_scales: Scale per sub-model name where something measured it (`scale_from_depth`); else the prior
            is used. One that puts the camera where nobody carries it is not `metric`: the prior is used instead.
        are_stated: The measured scales are the user's word about poses that were given, so their factor is kept
            even there.
        evidence: What pictures say of surfaces and sizes. Named floor decides the vertical and the floor with the rest,
            and things of known size weigh in on the scale, unless that is stated.
        assessments: What `assess` says of each sub-model, by name; kept in the scene where given.

    Returns:
        The scene, largest model first. No models for no input.

    Raises:
        ReconError: If a model has a frame the tour does not have.
    """
    known = {frame.index for frame in frames}
    scales = measured_scales or {}
    built: list[tuple[SceneModel, list[Finding]]] = []
    own: list[Finding] = []
    roll_deg: float | None = None  # nobody turns the camera over between two models of a film: the largest decides
    for sub_model in sorted(models, key=lambda model: (-len(model.frames), model.frames[:1])):
        foreign = sorted(set(sub_model.frames) - known)
        if foreign:
            raise ReconError(
                f"model {sub_model.name}: image {foreign[0]} is not a frame of the tour ({len(foreign)} such images). "
                "Image ids must be frame indices"
            )
        if len(sub_model.frames) < _LEAST_FRAMES:
            message = f"left out of the scene: it has {count(len(sub_model.frames), 'frame')}, need {_LEAST_FRAMES}"
            own.append(Finding("warning", "scene.model_too_small", f"model {sub_model.name}", message))
            continue
        measured = scales.get(sub_model.name)
        model, said, roll_deg = _build_model(
            str(len(built)), sub_model, measured, are_stated, evidence, options, roll_deg, seed
        )
        if assessments is not None and sub_model.name in assessments:
            known_of = assessments[sub_model.name]
            sigmas = {  # in the scene's unit
                frame: PoseSigma(model.scale.factor * sigma.position, sigma.rotation_deg)
                for frame, sigma in known_of.pose_sigma.items()
                if frame in model.world_from_cam
            }
            model = replace(model, pose_sigma=sigmas, health=known_of.health)
        built.append((replace(model, floor_range=measure_floor_range(model)), said))
    own += [finding for _, of_model in built for finding in of_model]
    scene = Scene(scene_id, source, tuple(frames), tuple(clips), tuple(model for model, _ in built))
    return replace(scene, findings=(*findings, *own, *check_scene(scene)))


def _build_model(
    name: str,
    sub_model: SubModel,
    measured: Scale | None,
    is_stated: bool,
    evidence: SceneEvidence | None,
    options: SceneOptions,
    roll_deg: float | None,
    seed: int,
) -> tuple[SceneModel, list[Finding], float]:
    where = f"model {name}"
    reconstruction = sub_model.reconstruction
    camera, findings = _choose_shared_camera(reconstruction, where)
    world_from_cam = {frame: read_pose(reconstruction, frame) for frame in sub_model.frames}
    poses = list(world_from_cam.values())
    tracks = tracks_from_colmap(reconstruction)
    keep = enough_of(well_triangulated(tracks, world_from_cam))
    solid = tracks.xyz[keep]
    surfaces = None if evidence is None else evidence.surfaces(tracks)[keep]
    distance = measure_viewing_distance(tracks, world_from_cam)
    vertical = estimate_up(poses, solid, viewing_distance=distance, surfaces=surfaces, roll_deg=roll_deg, seed=seed)
    if len(poses) < LEAST_FRAMES or vertical.agreement_deg > _SURE_AGREEMENT_DEG:
        message = f"the vertical rests on little ({vertical.source}); heights and turns of this model may be wrong"
        findings.append(Finding("warning", "scene.vertical_unsure", where, message))
    rotation = level_rotation(vertical.up, poses[0])
    centers = np.array([pose.center for pose in poses]) @ rotation.T
    floor_z = find_floor(solid @ rotation.T, centers, surfaces)
    camera_z = float(np.median(centers[:, 2]))
    origin = np.array([centers[0, 0], centers[0, 1], camera_z if floor_z is None else floor_z])

    def stand(scale: Scale) -> SceneModel:
        upright_from_model = Sim3(scale.factor, rotation, -scale.factor * origin)
        return SceneModel(
            name=name,
            camera=camera,
            world_from_cam={frame: upright_from_model.move_camera(pose) for frame, pose in world_from_cam.items()},
            tracks=replace(tracks, xyz=upright_from_model @ tracks.xyz),
            scale=scale,
            floor_z=None if floor_z is None else 0.0,
            up_source=vertical.source,
            mean_reprojection_error_px=sub_model.mean_reprojection_error_px,
            clips=sub_model.clips,
        )

    if floor_z is None:
        scale = measured or no_scale("no floor found below the cameras, so the camera height prior cannot be used")
        message = (
            "no floor found below the cameras; z = 0 is their median height and the scale is "
            f"{scale.status}. Show more of the floor in the tour, or use a metric depth model"
        )
        findings.append(Finding("warning", "scene.no_floor", where, message))
        return stand(scale), findings, vertical.roll_deg
    camera_height = camera_z - floor_z
    prior = scale_from_camera_height(camera_height, options.camera_height_m, options.camera_height_sigma)
    sizes = [] if evidence is None or is_stated else evidence.sizes(stand(prior))
    if sizes:  # all that is known of the scale, in units of the free model
        free = [replace(size, measured=tuple(length / prior.factor for length in size.measured)) for size in sizes]
        held = camera_height_witness(camera_height, options.camera_height_m, options.camera_height_sigma)
        weighed = weigh_witnesses([held, *free, *([] if measured is None else [depth_witness(measured)])])
        findings += _list_disputes(weighed, where)
        scale, odd = _judge_height(weighed.scale, prior, False, camera_height, options, where)
        if not odd:
            scale, odd = _judge_doors(scale, weighed.witnesses, where)
        return replace(stand(scale), witnesses=weighed.witnesses), findings + odd, vertical.roll_deg
    if measured is None or measured.status != "metric":
        return stand(measured or prior), findings, vertical.roll_deg
    scale, odd = _judge_height(measured, prior, is_stated, camera_height, options, where)
    return stand(scale), findings + odd, vertical.roll_deg


def _list_disputes(weighed: WeighedScale, where: str) -> list[Finding]:
    """A finding that names the things whose size does not fit the scale, if there are any."""
    if not weighed.disputes:
        return []
    scale = weighed.scale
    words = ", ".join(
        f"{witness.name} {witness.measured * scale.factor:.2f} m (expected {witness.expected_m:g} m)"
        for witness in weighed.disputes
    )
    message = (
        f"at the chosen scale ({scale.factor:.3g} +- {scale.sigma:.0%}) some things have an unusual size: {words}; "
        "they may be misnamed"
    )
    return [Finding("info", "scene.scale_disputed", where, message)]


def _judge_height(
    measured: Scale, prior: Scale, is_stated: bool, camera_height: float, options: SceneOptions, where: str
) -> tuple[Scale, list[Finding]]:
    """The scale to take, and a finding if the measured one puts the camera where nobody carries one."""
    height_m, named_m = measured.factor * camera_height, options.camera_height_m
    least, most = min(_LEAST_HEIGHT_M, named_m / _ABOUT_NAMED), max(_MOST_HEIGHT_M, named_m * _ABOUT_NAMED)
    if least <= height_m <= most:
        return measured, []
    if is_stated:
        scale, taken = replace(measured, status="assumed"), "it is kept but not called metric"
    else:
        scale, taken = prior, f"the camera height prior ({named_m:g} m) is used instead"
    message = (
        f"the measured scale puts the camera {height_m:.2f} m above the floor, outside {least:.1f} to {most:.1f} m "
        f"({measured.source}, sigma {measured.sigma:.0%}); {taken}"
    )
    return scale, [Finding("warning", "scene.camera_height_odd", where, message)]


def _judge_doors(scale: Scale, witnesses: Sequence[ScaleWitness], where: str) -> tuple[Scale, list[Finding]]:
    """The scale, and a finding if it would be metric with doors of a height that doors do not have."""
    for witness in witnesses:
        door_m = scale.factor * witness.measured
        is_odd = witness.name == DOOR_HEIGHT and not _LEAST_DOOR_M <= door_m <= _MOST_DOOR_M
        if is_odd and scale.status == "metric":
            message = (
                f"at the scale weighed from sizes of things, doors are {door_m:.2f} m high, outside {_LEAST_DOOR_M} to "
                f"{_MOST_DOOR_M} m; it is kept but not called metric"
            )
            return replace(scale, status="assumed"), [Finding("warning", "scene.door_height_odd", where, message)]
    return scale, []


def _choose_shared_camera(reconstruction: pycolmap.Reconstruction, where: str) -> tuple[Camera, list[Finding]]:
    """The camera most frames were taken with; a finding if there are others."""
    frames = Counter(reconstruction.images[image].camera_id for image in sorted(reconstruction.reg_image_ids()))
    camera_id, most = frames.most_common(1)[0]
    findings = []
    if len(frames) > 1:
        message = (
            f"the model has {len(frames)} cameras; that of {most} of {sum(frames.values())} frames is used for all, "
            "so pixels of the others are off; reconstruct the pictures of each camera as a tour of their own"
        )
        findings.append(Finding("warning", "scene.several_cameras", where, message))
    return Camera.from_colmap(reconstruction.cameras[camera_id]), findings
