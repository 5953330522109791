"""What asking the language model about a tour would take: `roomtour process --dry-run`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from instructions.language.budget import Usage, question_tokens
from instructions.language.cache import ReplyCache, question_key
from instructions.language.options import LanguageOptions
from instructions.navigation.language_writer import find_questions
from recon.upright.scene_io import read_scene
from roomtour.artifacts import OBJECTS, OBSERVATIONS, ROOM_SPANS, SCENE, TRAJECTORIES
from roomtour.config import Config
from roomtour.errors import RoomtourError
from roomtour.kinds import REPLIES
from roomtour.stages.table import needed_by
from roomtour.store import MANIFEST, RunStore

TEXT_TOKENS = 60
"""A text of two sentences with its share of the JSON around it."""


@dataclass(frozen=True)
class LanguageEstimate:
    """Questions of one tour, and what they may cost."""

    questions: int
    kept: int
    """Answered by kept replies: free."""
    likely: Usage
    most: Usage
    """Every reply as long as allowed, and one repair each."""


def estimate_language(run: Path, config: Config) -> LanguageEstimate:
    """Count questions and tokens from what is reconstructed; asks no server and writes nothing.

    Raises:
        RoomtourError: If the run has no trajectories or perception yet: how many ways there are is not known then.
    """
    options = config.language
    done = RunStore(run).stages if (run / MANIFEST).exists() else {}
    missing = [name for name in needed_by("navigation") if name not in done]
    if missing:
        raise RoomtourError(
            f"--dry-run {run}: stage {missing[0]} is not done, so the ways to write about are not known. "
            "Run the same command with --until perception instead of --dry-run first (it asks no language model)"
        )
    asked = find_questions(
        read_scene(run / SCENE.path),
        TRAJECTORIES.read(run),
        OBJECTS.read(run),
        OBSERVATIONS.read(run),
        ROOM_SPANS.read(run),
        options,
        config.navigation,
    )
    cache = ReplyCache(run / REPLIES)
    kept = prompt = 0
    for _, question in asked:
        key = question_key(question.messages, question.task.schema, options, config.seed)
        if cache.get(key) is not None:
            kept += 1
        else:
            prompt += question_tokens(question.messages, question.task.schema)
    new = len(asked) - kept
    likely = Usage(len(asked), kept, prompt, new * min(options.wordings * TEXT_TOKENS, options.max_reply_tokens))
    longest = new * options.max_reply_tokens
    return LanguageEstimate(len(asked), kept, likely, Usage(len(asked), kept, 2 * prompt + longest, 2 * longest))


def describe_estimate(estimate: LanguageEstimate, options: LanguageOptions) -> list[str]:
    """A few lines for people."""
    lines = [f"{estimate.questions} questions to {options.model}, {estimate.kept} of them answered by kept replies"]
    for name, usage in (("about", estimate.likely), ("at most", estimate.most)):
        cost = usage.cost(options)
        money = "" if cost is None else f", cost {cost:.4f}"
        lines.append(f"  {name} {usage.prompt_tokens:,} prompt and {usage.reply_tokens:,} reply tokens{money}")
    if estimate.likely.cost(options) is None:
        lines.append("  for a cost, give --language.price-per-million-in and --language.price-per-million-out")
    return lines
