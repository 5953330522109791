"""The table of stages: name, version, what each needs, the options it depends on, and the function that runs it.

Each function reads finished files of the run folder, calls one stage of a package and writes its results; it knows
nothing of keys, order or resuming (`pipeline` does).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from instructions.perception.landmarks import find_landmarks
from instructions.records import Instruction, Observation, SceneObject, SpatialLine
from instructions.spatial_text import describe_frame
from instructions.writer import write_instructions
from recon.features import build_database
from recon.findings import Finding
from recon.merge import merge_sub_models
from recon.records import Clip, MergeAttempt, Scene, SubModel
from recon.sampling import sample_tour
from recon.scene import build_scene
from recon.scene_io import read_scene, write_scene
from recon.sfm import ClipResult, reconstruct_clip
from recon.shots import make_clips
from roomtour.config import Config
from roomtour.depth_io import write_depth
from roomtour.frames_io import read_clips, read_source, write_clips, write_frames_table, write_source
from roomtour.models_io import read_sub_models, write_sub_models
from roomtour.records_io import read_jsonl, write_jsonl
from roomtour.report_stage import write_run_report
from roomtour.sources import Tour
from roomtour.store import RunStore, require_room
from trajectories.build import build_trajectories
from trajectories.records import DecisionPoint, Trajectory, ViewChange

_BYTES_PER_FEATURE = 200
"""Keypoint, descriptor and its share of the matches; 160 measured."""

Counts = dict[str, int | float | str]


@dataclass(frozen=True)
class StageContext:
    """What a stage function is handed."""

    tour: Tour
    config: Config
    store: RunStore
    part: Path
    """Outputs go here, under the same relative path as in the run folder."""
    progress: Callable[[float], None]

    @property
    def run(self) -> Path:
        """Finished files of earlier stages."""
        return self.store.root

    def findings_of(self, *stages: str) -> tuple[Finding, ...]:
        """Findings of earlier stages, in that order."""
        entries = [self.store.stages[name] for name in stages if name in self.store.stages]
        return tuple(finding for entry in entries for finding in entry.findings)


@dataclass(frozen=True)
class StageResult:
    """What a stage function gives back besides its files."""

    counts: Counts
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True)
class Stage:
    """One row of the table."""

    name: str
    title: str
    version: int
    """Raise it when the same inputs and options give another result."""
    needs: tuple[str, ...]
    outputs: tuple[str, ...]
    options: Callable[[Config], object]
    run: Callable[[StageContext], StageResult]


def _sample(context: StageContext) -> StageResult:
    config = context.config
    frames_dir = context.part / "frames"
    frames_dir.mkdir()
    sampled = sample_tour(
        context.tour.source,
        frames_dir,
        config.sample,
        config.shots,
        image_fps=config.input.fps,
        progress=context.progress,
    )
    write_source(context.part / "source.json", sampled)
    counts: Counts = {"frames": len(sampled.frames), "shots": len(sampled.cuts_s) + 1}
    return StageResult(counts, sampled.findings)


def _clips(context: StageContext) -> StageResult:
    frames = read_source(context.run / "source.json").frames
    clips = make_clips(frames, context.config.clips)
    write_frames_table(context.part / "frames.parquet", frames, clips)
    write_clips(context.part / "clips.json", clips)
    return StageResult({"clips": len(clips)})


def _features(context: StageContext) -> StageResult:
    config = context.config
    frames = read_source(context.run / "source.json").frames
    # SQLite inside pycolmap aborts the whole process when the disk runs full, so the room is asked for before.
    require_room(context.run, len(frames) * config.features.max_features * _BYTES_PER_FEATURE)
    (context.part / "recon").mkdir()
    report = build_database(
        context.run / "frames",
        frames,
        read_clips(context.run / "clips.json"),
        context.part / "recon" / "database.db",
        config.features,
        config.pairs,
        num_threads=config.workers,
        seed=config.seed,
        progress=context.progress,
    )
    counts: Counts = {"pairs": report.sequential_verified, "revisit pairs": report.revisits_verified}
    return StageResult(counts, report.findings)


def _sfm(context: StageContext) -> StageResult:
    config = context.config
    clips = read_clips(context.run / "clips.json")
    at_once = max(1, min(config.workers, len(clips)))
    done = [0.0] * len(clips)

    def reconstruct(numbered: tuple[int, Clip]) -> ClipResult:
        number, clip = numbered

        def progress(fraction: float) -> None:
            done[number] = fraction
            context.progress(sum(done) / len(done))

        work_dir = context.part / "work" / clip.name
        work_dir.mkdir(parents=True)
        return reconstruct_clip(
            context.run / "recon" / "database.db",
            context.run / "frames",
            clip,
            work_dir,
            config.recon,
            num_threads=max(1, config.workers // at_once),
            seed=config.seed,
            progress=progress,
        )

    with ThreadPoolExecutor(at_once) as pool:
        results = list(pool.map(reconstruct, enumerate(clips)))
    sub_models = [model for result in results for model in result.sub_models]
    write_sub_models(context.part / "recon" / "clips", sub_models)
    findings = tuple(finding for result in results for finding in result.findings)
    registered = {frame for model in sub_models for frame in model.frames}
    return StageResult({"sub-models": len(sub_models), "registered": len(registered)}, findings)


def _merge(context: StageContext) -> StageResult:
    config = context.config
    result = merge_sub_models(
        read_sub_models(context.run / "recon" / "clips"),
        context.run / "recon" / "database.db",
        config.merge,
        num_threads=config.workers,
        seed=config.seed,
        progress=context.progress,
    )
    write_sub_models(context.part / "recon" / "merged", [_unprefixed(model) for model in result.models])
    write_jsonl(context.part / "recon" / "merge_log.jsonl", result.attempts, MergeAttempt)
    accepted = sum(attempt.verdict == "accepted" for attempt in result.attempts)
    return StageResult({"models": len(result.models), "merges": accepted}, result.findings)


def _unprefixed(model: SubModel) -> SubModel:
    """`merged/0` as `0`, its folder under recon/merged/."""
    return replace(model, name=model.name.removeprefix("merged/"))


def _scene(context: StageContext) -> StageResult:
    sampled = read_source(context.run / "source.json")
    models = read_sub_models(context.run / "recon" / "merged")
    earlier = context.findings_of("sample", "clips", "features", "sfm", "merge")
    scene = build_scene(
        context.tour.name,
        sampled.source,
        sampled.frames,
        read_clips(context.run / "clips.json"),
        models,
        findings=earlier,
        options=context.config.scene,
        seed=context.config.seed,
    )
    (context.part / "scene").mkdir()
    write_scene(scene, context.part / "scene")
    counts: Counts = {"models": len(scene.models), "registered": scene.registered, "scale": scene.scale_status}
    return StageResult(counts, scene.findings[len(earlier) :])


def _trajectories(context: StageContext) -> StageResult:
    scene = read_scene(context.run / "scene")
    trajectories, findings = build_trajectories(scene, context.config.trajectory)
    folder = context.part / "trajectories"
    folder.mkdir()
    write_jsonl(folder / "trajectories.jsonl", trajectories, Trajectory)
    changes = [change for trajectory in trajectories for change in trajectory.view_changes]
    decisions = [decision for trajectory in trajectories for decision in trajectory.decisions]
    write_jsonl(folder / "view_changes.jsonl", changes, ViewChange)
    write_jsonl(folder / "candidates.jsonl", decisions, DecisionPoint)
    counts: Counts = {"walks": len(trajectories), "view changes": len(changes), "decisions": len(decisions)}
    return StageResult(counts, tuple(findings))


def _perception(context: StageContext) -> StageResult:
    config = context.config
    scene = read_scene(context.run / "scene")
    folder = context.part / "perception"
    (folder / "depth").mkdir(parents=True)
    objects: list[SceneObject] = []
    observations: list[Observation] = []
    findings: list[Finding] = []
    for number, model in enumerate(scene.models):
        found = find_landmarks(model, context.run / "frames", scene.frames, config.landmarks, seed=config.seed)
        objects.extend(found.objects)
        observations.extend(found.observations)
        findings.extend(found.findings)
        write_depth(model, folder / "depth")
        context.progress((number + 1) / len(scene.models))
    lines = _spatial_lines(scene, objects, observations)
    write_jsonl(folder / "objects.jsonl", objects, SceneObject)
    write_jsonl(folder / "observations.jsonl", observations, Observation)
    write_jsonl(folder / "spatial_lines.jsonl", lines, SpatialLine)
    return StageResult({"objects": len(objects), "observations": len(observations)}, tuple(findings))


def _spatial_lines(
    scene: Scene, objects: Sequence[SceneObject], observations: Sequence[Observation]
) -> list[SpatialLine]:
    by_id = {thing.id: thing for thing in objects}
    by_frame: dict[int, list[Observation]] = {}
    for observation in observations:
        by_frame.setdefault(observation.frame, []).append(observation)
    registered = sorted({frame for model in scene.models for frame in model.frames})
    return [describe_frame(frame, by_frame.get(frame, []), by_id) for frame in registered]


def _instructions(context: StageContext) -> StageResult:
    config = context.config
    scene = read_scene(context.run / "scene")
    rows = write_instructions(
        scene,
        read_jsonl(context.run / "trajectories" / "trajectories.jsonl", Trajectory),
        read_jsonl(context.run / "perception" / "objects.jsonl", SceneObject),
        read_jsonl(context.run / "perception" / "observations.jsonl", Observation),
        config.text,
        seed=config.seed,
    )
    folder = context.part / "instructions"
    folder.mkdir()
    accepted = [row for row in rows if row.accepted]
    rejected = [row for row in rows if not row.accepted]
    write_jsonl(folder / "instructions.jsonl", accepted, Instruction)
    write_jsonl(folder / "rejected.jsonl", rejected, Instruction)
    findings = _silence(scene, accepted)
    return StageResult({"instructions": len(accepted), "rejected": len(rejected)}, findings)


def _silence(scene: Scene, accepted: list[Instruction]) -> tuple[Finding, ...]:
    if accepted or not scene.models:
        return ()
    message = "no instruction held against the geometry of the walk; see instructions/rejected.jsonl"
    return (Finding("warning", "instructions.none", scene.id, message),)


def _report(context: StageContext) -> StageResult:
    write_run_report(context.store, context.part / "report.html")
    return StageResult({})


STAGES: tuple[Stage, ...] = (
    Stage(
        name="sample",
        title="Decode and sample",
        version=1,
        needs=(),
        outputs=("frames", "source.json"),
        options=lambda config: [config.input, config.sample, config.shots],
        run=_sample,
    ),
    Stage(
        name="clips",
        title="Shots and clips",
        version=1,
        needs=("sample",),
        outputs=("frames.parquet", "clips.json"),
        options=lambda config: config.clips,
        run=_clips,
    ),
    Stage(
        name="features",
        title="Features and matches",
        version=1,
        needs=("sample", "clips"),
        outputs=("recon/database.db",),
        options=lambda config: [config.features, config.pairs, config.seed],
        run=_features,
    ),
    Stage(
        name="sfm",
        title="Structure from motion",
        version=1,
        needs=("features",),
        outputs=("recon/clips",),
        options=lambda config: [config.recon, config.seed],
        run=_sfm,
    ),
    Stage(
        name="merge",
        title="Merge sub-models",
        version=1,
        needs=("sfm",),
        outputs=("recon/merged", "recon/merge_log.jsonl"),
        options=lambda config: [config.merge, config.seed],
        run=_merge,
    ),
    Stage(
        name="scene",
        title="Upright scene",
        version=1,
        needs=("merge",),
        outputs=("scene",),
        options=lambda config: [config.scene, config.seed],
        run=_scene,
    ),
    Stage(
        name="trajectories",
        title="Trajectories",
        version=1,
        needs=("scene",),
        outputs=("trajectories",),
        options=lambda config: config.trajectory,
        run=_trajectories,
    ),
    Stage(
        name="perception",
        title="Perception",
        version=1,
        needs=("scene",),
        outputs=("perception",),
        options=lambda config: [config.landmarks, config.perception, config.seed],
        run=_perception,
    ),
    Stage(
        name="instructions",
        title="Instructions",
        version=1,
        needs=("trajectories", "perception"),
        outputs=("instructions",),
        options=lambda config: [config.text, config.writer, config.seed],
        run=_instructions,
    ),
    Stage(
        name="report",
        title="Report",
        version=1,
        needs=("instructions",),
        outputs=("report.html",),
        options=lambda config: None,
        run=_report,
    ),
)
"""In run order. A stage needs only stages above it."""

STAGE_NAMES = tuple(stage.name for stage in STAGES)


def depending_on(name: str) -> tuple[str, ...]:
    """Stages whose results rest on this one, directly or not, in run order."""
    reached = {name}
    for stage in STAGES:
        if reached.intersection(stage.needs):
            reached.add(stage.name)
    return tuple(stage.name for stage in STAGES if stage.name in reached and stage.name != name)
