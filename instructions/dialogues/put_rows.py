"""Drafts of tasks as rows: so many of a view, evenly worded, none over a loader's limit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from instructions.asking.draws import Draw
from instructions.dialogues.budget import estimate_tokens
from instructions.dialogues.options import DialogueOptions
from instructions.dialogues.place import Place
from instructions.dialogues.records import Dialogue
from instructions.dialogues.tasks.balance import Placed, cap_wordings, draw_templates, even_answers
from instructions.dialogues.tasks.tasks import TASKS, Draft, put_task
from instructions.dialogues.templates import Pool
from instructions.rows import row_id


def choose_tasks(drafts: Sequence[Draft], options: DialogueOptions, draw: Draw) -> list[Draft]:
    """So many tasks of a view, each kind of task in turn."""
    by_task: dict[str, list[Draft]] = {}
    for draft in sorted(drafts, key=lambda _: draw.uniform()):
        by_task.setdefault(draft.task, []).append(draft)
    out: list[Draft] = []
    most = options.tasks_per_view or len(drafts)
    order = sorted(by_task, key=lambda _: draw.uniform())
    while len(out) < most and any(by_task.values()):
        for task in order:
            if by_task[task] and len(out) < most:
                out.append(by_task[task].pop())
    return out


def put_tasks(
    drafts: Sequence[tuple[Place, Placed]], options: DialogueOptions, pools: Mapping[str, Pool]
) -> tuple[list[Dialogue], Counter[str]]:
    """Rows of drafts, and how many were left out by reason; `pools` are those of tasks that have further templates."""
    kept, left_out = even_answers([one for _, one in drafts], options.most_count_share)
    numbers = draw_templates(kept, pools)
    kept, left_out["template_and_class"] = cap_wordings(kept, numbers, options.most_wording_share)
    stays = {one.lot for one in kept}
    rows: list[Dialogue] = []
    for place, one in drafts:
        if one.lot not in stays:
            continue
        draft, chosen = one.draft, numbers[one.lot]
        turn, template, truth = put_task(
            draft, chosen.asked, chosen.told, chosen.place, place.size_px, pools.get(draft.task)
        )
        if estimate_tokens([turn]) > options.text_tokens:
            left_out["budget"] += 1
            continue
        rows.append(
            place.row(
                "task",
                draft.key,
                [turn],
                draft.evidence,
                draft.boxes,
                [template],
                task=TASKS[draft.task].name,
                truth=truth,
                group=row_id(place.tour.scene.id, draft.group) if draft.group else None,
            )
        )
    return rows, left_out
