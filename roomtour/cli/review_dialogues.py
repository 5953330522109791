"""`roomtour review --what dialogues`: rows of the kind `dialogues`, and of its pilot, before a person."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from recon.numerals import count
from roomtour.cli.console import OUT, tell
from roomtour.cli.review_questions import MAP_POINTS, require_rater
from roomtour.errors import RoomtourError

if TYPE_CHECKING:
    from instructions.dialogues.records import Dialogue
    from roomtour.run import Run


def serve_dialogues(runs: tuple[Path, ...], sample: int, rater: str, seed: int, port: int) -> int:
    """Serve the rows that the check asks for until Ctrl-C."""
    from roomtour.files.dialogue_ratings import FILE
    from roomtour.review.dialogues import DialogueItem, DialogueSession, draw_dialogues
    from roomtour.review.server import ReviewServer
    from roomtour.run import Run
    from roomtour.view.hidden import find_asked_to_hide, hide_in_tour
    from roomtour.view.tour import load_tour

    require_rater(sample, rater)
    folders = {str(folder.resolve()): folder for folder in runs}
    opened = {key: Run(folder) for key, folder in folders.items()}
    with TemporaryDirectory() as hidden:
        items = []
        for number, (key, run) in enumerate(opened.items()):
            rows, pilot = read_dialogues(run)
            if rows or pilot:
                tour = hide_in_tour(
                    load_tour(run, MAP_POINTS), find_asked_to_hide(run), Path(hidden) / str(number), tell
                )
                items += [DialogueItem(key, tour, row) for row in rows]
                items += [DialogueItem(key, tour, row, is_pilot=True) for row in pilot]
        if not items:
            raise RoomtourError("these runs hold no dialogues to judge; make some: roomtour make RUN --data dialogues")
        asked = draw_dialogues(items, len(items), seed)
        if len(asked) > sample:
            tell(f"note: the check asks for {count(len(asked), 'row')}; --sample {sample} shows the first of them")
        clouds = {key: run.clouds for key, run in opened.items()}
        session = DialogueSession(asked[:sample], folders, rater, clouds)
        with ReviewServer(session, port) as server:
            tell(
                f"{count(len(session.items), 'dialogue')}, {session.done} judged by {rater}: {server.address}   "
                "(Ctrl-C ends it)"
            )
            try:
                server.serve_forever()
            except KeyboardInterrupt:
                tell(f"{session.done} of {len(session.items)} judged; they are in {FILE} of each run")
    return 0


def summarize(runs: tuple[Path, ...]) -> int:
    """Print what people made of the dialogues of runs."""
    from roomtour.files.dialogue_ratings import FILE, load_dialogue_ratings
    from roomtour.review.dialogue_summary import render_dialogues, summarize_dialogues
    from roomtour.run import Run

    judged = []
    for folder in runs:
        run = Run(folder)
        rows, pilot = read_dialogues(run)
        judged.append((run.scene_outline.id, (*rows, *pilot), load_dialogue_ratings(folder / FILE)))
    OUT.print(render_dialogues(summarize_dialogues(judged)))
    return 0


def read_dialogues(run: Run) -> tuple[list[Dialogue], list[Dialogue]]:
    """Kept rows of a run, and the accepted rows of its pilot that are not among them."""
    from instructions.dialogues.records import Dialogue
    from roomtour.files.dialogue_ratings import PILOT, stratum_of
    from roomtour.files.records import read_jsonl

    rows = list(run.rows("dialogues")) if "dialogues" in run.kinds else []
    known = {(row.id, stratum_of(row)) for row in rows}
    file = run.path / PILOT
    pilot = read_jsonl(file, Dialogue) if file.is_file() else ()
    return rows, [row for row in pilot if row.accepted and (row.id, stratum_of(row)) not in known]
