"""`roomtour ask`: a question about a run, answered by code."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import tyro

from roomtour.cli.console import tell
from roomtour.errors import UsageError

MOST_VIEWS = 200
"""Single views that are tried, those first that show most things with a name; none that shows what another does."""


def ask(
    run: tyro.conf.Positional[Path],
    question: tyro.conf.Positional[str],
    /,
    base_url: str = "",
    model: str = "",
    out: Path = Path("asked"),
    seed: int = 0,
    move: str = "",
    by: tuple[float, float, float] = (1.0, 0.0, 0.0),
) -> int:
    """Answer a question about a run: the value, what decided it, a picture; and programs, if a model is named.

    A number comes with the interval it lies in, a comparison with that of what decides it. A number that is too rough
    for a row is told as rough, with the reason; where nobody can be sure of a count, how many there are at least.
    The question is read by rules; things go by the names that the run gives them. With a server, a language model
    writes three programs blind to the scene's values; they run in the sandbox and are compared with the reference.

    Args:
        run: A run folder with perception.
        question: In English, such as "How tall is the lamp?".
        base_url: Address of an OpenAI-compatible server; without it no program is asked for.
        model: Name of its model.
        out: Folder for the picture.
        seed: Of the requests for programs.
        move: A thing by its name: the answer is also told for the same world with it moved.
        by: Meters along the world's axes by which it is moved, z up.
    """
    from instructions.errors import InstructionError
    from instructions.programs.ask.answering import (
        allow_rough,
        answer_by_programs,
        believe_reference,
        read_question,
        tell_count,
        tell_doubt,
        tell_interval,
    )
    from instructions.programs.ask.supposing import suppose_moved
    from instructions.programs.ask.tour_questions import read_count
    from instructions.programs.asked.programming import make_row
    from instructions.programs.asked.wording import UNASKED
    from instructions.questions.quality.explain import explain
    from instructions.wording.english import join_list
    from roomtour.explain.rows import draw_rows
    from roomtour.kinds import KINDS, REPLIES
    from roomtour.pipeline import run_config
    from roomtour.run import Run
    from roomtour.stages.kinds.programs import find_run_askers

    if not question.strip():
        raise UsageError('ask: what? give a question, such as "How tall is the lamp?"')
    opened = Run(run)
    opened.require(next(kind.needs for kind in KINDS if kind.name == "programs"))
    config = run_config(opened)
    # The whole tour first: a person who asks how many there are does not mean one picture.
    media = ("video", "scan", "images", "image")
    # ... and then any view, not only those that rows are made about.
    every = replace(config.programs, views=replace(config.programs.views, images=MOST_VIEWS))
    config = replace(config, programs=every)
    askers = sorted(find_run_askers(run, config, seed), key=lambda asker: media.index(asker.asker.views.medium))
    doubt = None
    try:
        asker, read = read_question(question, askers)
    except InstructionError:
        counted = read_count(question, askers)
        if counted is not None:
            believed = believe_reference(counted.question)
            row = make_row(opened.scene_outline.id, counted.question, None, believed, "", seed)
            for line in (f"Q: {row.question}", f"A: at least {counted.least}.", *tell_count(counted)):
                tell(line)
            tell(str(draw_rows(opened, "programs", [row], out)[0]))
            return 0
        roughly = replace(config, programs=allow_rough(config.programs))
        rough_askers = find_run_askers(run, roughly, seed, trusts_names=True)
        rough = sorted(rough_askers, key=lambda asker: media.index(asker.asker.views.medium))
        asker, read = read_question(question, rough)
        doubt = tell_doubt(read, askers)
    belief = believe_reference(read)
    if base_url and read.truth.kind.name in UNASKED:
        tell("programs: none, they see no walk and no rooms; the reference answers alone")
    elif base_url:
        from instructions.language.connect import connect_server

        language = replace(config.language, base_url=base_url, model=model or config.language.model)
        belief, sources = answer_by_programs(asker, read, language, run / REPLIES, lambda: connect_server(language))
        for program in belief.runs:
            tell(f"\n# {program.prompt} of {program.model}: {program.error or program.value}")
            tell(sources[program.source_sha256])
    row = make_row(opened.scene_outline.id, read, None, belief, "", seed)
    for line in explain(row):
        tell(line)
    if row.medium in ("image", "images"):
        tell(f"seen in frame{'s' if len(row.views) > 1 else ''} {join_list([str(frame) for frame in row.views])}")
    if interval := tell_interval(read):
        tell(f"95 %: {interval}")
    if doubt:
        tell(f"rough: no row is made of this answer, because {doubt}")
    if move:
        tell(f"with {move} moved by {by[0]:g}, {by[1]:g}, {by[2]:g} m: {suppose_moved(asker, read, move, by)}")
    if belief.runs:
        tell(f"programs: {belief.rejection or 'all agree with the reference and keep the laws'}")
    tell(str(draw_rows(opened, "programs", [row], out)[0]))
    return 0
