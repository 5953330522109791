"""Instructions: what is written about the walks."""

from __future__ import annotations

from instructions.records import Instruction, Observation, SceneObject
from instructions.writer import write_instructions
from recon.findings import Finding
from recon.records import Scene
from recon.scene_io import read_scene
from roomtour.records_io import read_jsonl, write_jsonl
from roomtour.stages.context import Stage, StageContext, StageResult
from trajectories.records import Trajectory


def _run(context: StageContext) -> StageResult:
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


STAGE = Stage(
    name="instructions",
    title="Instructions",
    version=1,
    needs=("trajectories", "perception"),
    outputs=("instructions",),
    options=lambda config: [config.text, config.writer, config.seed],
    run=_run,
)
