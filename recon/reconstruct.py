"""The whole reconstruction of a tour, from sampled frames to an upright scene, as one function."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from recon.errors import ReconError
from recon.findings import Finding
from recon.mapping.learned_fallback import map_tour
from recon.mapping.options import Floors, SfmOptions, TourInputs, find_no_floors
from recon.matching.features import build_database
from recon.matching.interfaces import FeatureOptions, Features
from recon.merging.merge import merge_tour
from recon.records import MergeAttempt, Scene, SubModel
from recon.tasks import FanOut, map_here
from recon.upright.checks import check_heights, check_precisions
from recon.upright.scene import SceneOptions, build_scene
from recon.video.overlays import find_overlays
from recon.video.sampling import SampledTour
from recon.video.shots import ClipOptions, make_clips


@dataclass(frozen=True, kw_only=True)
class ReconstructionOptions:
    """The options of each step."""

    clips: ClipOptions = ClipOptions()
    features: FeatureOptions = FeatureOptions()
    mapping: SfmOptions = SfmOptions()
    scene: SceneOptions = SceneOptions()
    seed: int = 0
    """Of all random sampling: for one seed the result repeats to the last bit."""


@dataclass(frozen=True, eq=False)
class Reconstruction:
    """What became of a tour."""

    scene: Scene
    """Its models upright, in metres as far as a prior allows, and all findings."""
    models: tuple[SubModel, ...]
    """The same models as COLMAP holds them, in their own frames and units, the largest first."""
    attempts: tuple[MergeAttempt, ...]
    """To join two sub-models, in the order tried."""
    database_path: Path
    """With the keypoints and matches that the models rest on."""

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What was dropped, guessed or left apart, or looks wrong."""
        return self.scene.findings


def reconstruct(
    frames: SampledTour,
    folder: Path,
    options: ReconstructionOptions = ReconstructionOptions(),
    *,
    name: str = "tour",
    learned: Features | None = None,
    floors_of: Floors = find_no_floors,
    fan_out: FanOut = map_here,
    progress: Callable[[str, float], None] = lambda step, share: None,
) -> Reconstruction:
    """Recover where the camera was in each frame of a tour, and the points that it saw.

    Args:
        frames: From `sample_tour`, whose pictures lie in `folder/frames`.
        folder: The rest of it is made here: `database.db`, and `work/` for files on the way.
        options: Of each step.
        name: Of the scene: letters, digits, `-` and `_`.
        learned: Learned keypoints, such as `XFeat`; clips that SIFT leaves in pieces are mapped once more by them.
        floors_of: Says where pictures show the floor, which holds a scale that pictures alone do not.
        fan_out: Gives out tasks, one after the other in this process if not given. No result depends on it.
        progress: Called with the name of a step and a fraction from 0 to 1.

    Returns:
        The scene. Without a model, and with findings that say why, if nothing could be reconstructed.

    Raises:
        ReconError: If a picture is missing or cannot be read, `folder` holds a reconstruction already, or the options
            ask for learned keypoints and none are given.
    """
    are_learned = options.features.are_learned
    if are_learned and learned is None:
        raise ReconError(f"features.kind is {options.features.kind}: give these keypoints as `learned`")
    frames_dir, work_dir, database_path = folder / "frames", folder / "work", folder / "database.db"
    if work_dir.exists():
        raise ReconError(f"{work_dir}: exists already; give a new folder or remove it")
    work_dir.mkdir()
    clips = make_clips(frames.frames, options.clips, frames.mixed_shots)
    overlays = find_overlays(frames_dir, frames.frames)
    inputs = TourInputs(
        frames=frames.frames,
        frames_dir=frames_dir,
        mask=overlays.mask,
        learned=None if options.features.kind == "sift" else learned,
        floors_of=floors_of,
        seed=options.seed,
        fan_out=fan_out,
    )

    matched = build_database(
        frames_dir,
        frames.frames,
        clips,
        database_path,
        options.features,
        seed=options.seed,
        progress=lambda share: progress("features", share),
        mask=overlays.mask,
        fan_out=fan_out,
        features=learned if are_learned else None,
    )
    mapped = map_tour(
        database_path,
        inputs,
        clips,
        work_dir,
        options.mapping,
        is_learned=are_learned,
        progress=lambda share: progress("mapping", share),
    )
    merged = merge_tour(
        mapped.sub_models,
        inputs,
        database_path,
        both_kinds_path=mapped.database_path,
        is_learned=are_learned,
        progress=lambda share: progress("merging", share),
    )
    known = (*frames.findings, *overlays.findings, *matched.findings, *mapped.findings, *merged.findings)
    scene = build_scene(
        name,
        frames.source,
        frames.frames,
        clips,
        merged.models,
        findings=(*known, *check_heights(merged.models, floors_of(frames.frames))),
        options=options.scene,
        seed=options.seed,
        assessments=merged.assessments,
    )
    scene = replace(scene, findings=(*scene.findings, *check_precisions(scene, merged.models)))
    return Reconstruction(scene, merged.models, merged.attempts, mapped.database_path or database_path)
