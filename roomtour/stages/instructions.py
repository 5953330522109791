"""Instructions: what is written about the walks, by the grammar or by a language model."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from instructions.language.options import LanguageOptions
from instructions.navigation.grammar_writer import write_instructions
from instructions.navigation.language_writer import Written, write_with_language_model
from instructions.records import Instruction, Observation, RoomSpan, SceneObject
from recon.findings import Finding
from recon.records import Scene
from recon.upright.scene_io import read_scene
from roomtour.config import Config
from roomtour.files.records import read_jsonl, write_jsonl
from roomtour.stages.context import Counts, Stage, StageContext, StageResult
from trajectories.records import Trajectory

REPLIES = "replies"
"""Kept replies of the language model. Beside the stages' outputs, so that nothing paid for is lost when one fails."""


def _run(context: StageContext) -> StageResult:
    config = context.config
    scene = read_scene(context.run / "scene")
    trajectories = read_jsonl(context.run / "trajectories" / "trajectories.jsonl", Trajectory)
    objects = read_jsonl(context.run / "perception" / "objects.jsonl", SceneObject)
    observations = read_jsonl(context.run / "perception" / "observations.jsonl", Observation)
    counts: Counts = {}
    findings: tuple[Finding, ...] = ()
    if config.writer == "llm":
        written = write_with_language_model(
            scene,
            trajectories,
            objects,
            observations,
            read_room_spans(context.run),
            replies=context.run / REPLIES,
            options=config.language,
            planning=config.text,
            seed=config.seed,
            progress=context.progress,
        )
        rows: Sequence[Instruction] = written.rows
        counts, findings = _language_counts(written, config.language), written.findings
    else:
        rows = write_instructions(scene, trajectories, objects, observations, config.text, seed=config.seed)
    folder = context.part / "instructions"
    folder.mkdir()
    accepted = [row for row in rows if row.accepted]
    rejected = [row for row in rows if not row.accepted]
    write_jsonl(folder / "instructions.jsonl", accepted, Instruction)
    write_jsonl(folder / "rejected.jsonl", rejected, Instruction)
    told: Counts = {"instructions": len(accepted), "rejected": len(rejected)}
    return StageResult({**told, **counts}, findings + _silence(scene, accepted))


def read_room_spans(run: Path) -> tuple[RoomSpan, ...]:
    """Stays in rooms; empty for runs of perceptions that know no rooms."""
    path = run / "perception" / "room_spans.jsonl"
    return read_jsonl(path, RoomSpan) if path.exists() else ()


def _language_counts(written: Written, options: LanguageOptions) -> Counts:
    usage = written.usage
    counts: Counts = {
        "questions": usage.questions,
        "from cache": usage.from_cache,
        "prompt tokens": usage.prompt_tokens,
        "reply tokens": usage.reply_tokens,
    }
    if written.rows:
        counts["rejected share"] = round(sum(not row.accepted for row in written.rows) / len(written.rows), 3)
    if written.unasked:
        counts["not asked"] = written.unasked
    cost = usage.cost(options)
    if cost is not None:
        counts["cost"] = round(cost, 4)
    return counts


def _silence(scene: Scene, accepted: list[Instruction]) -> tuple[Finding, ...]:
    if accepted or not scene.models:
        return ()
    message = "no instruction passed the check against the geometry of the walk; see instructions/rejected.jsonl"
    return (Finding("warning", "instructions.none", scene.id, message),)


def require_language(config: Config, run: Path, until: str | None) -> None:
    """Refuse at once what would fail after the reconstruction: no client installed, or no server named.

    A run with kept replies may need neither, so it is let through.

    Raises:
        InstructionError: One line on what to give.
    """
    if config.writer == "llm" and until in (None, "instructions", "report") and not (run / REPLIES).is_dir():
        from instructions.language.client import ServerModel

        ServerModel(config.language)


def _identity(config: Config) -> list[object]:
    """What decides the texts. A grammar's texts do not depend on the options of the language model."""
    language = config.language.identity if config.writer == "llm" else []
    return [config.text, config.writer, config.seed, *language]


STAGE = Stage(
    name="instructions",
    title="Instructions",
    version=1,
    needs=("trajectories", "perception"),
    outputs=("instructions",),
    options=_identity,
    run=_run,
)
