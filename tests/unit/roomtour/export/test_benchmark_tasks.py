"""The table of benchmarks' tasks names types that exist, and the card shows those of the types that it holds."""

from __future__ import annotations

from pathlib import Path

from instructions.questions.registry import ALL_TYPES
from roomtour.export import export_runs
from roomtour.export.card import BENCHMARK_TASKS, match_tasks
from tests.support.export.made_datasets import make_spatial_tour


def test_every_type_of_the_table_exists():
    named = {name for tasks in BENCHMARK_TASKS.values() for ours in tasks.values() for name in ours}
    assert named <= set(ALL_TYPES)


def test_a_card_names_the_tasks_of_its_questions_and_no_others(tmp_path: Path):
    tour = make_spatial_tour("home", tmp_path)
    export_runs([tour], "jsonl", tmp_path / "data", kinds=("spatial",))
    card = (tmp_path / "data" / "README.md").read_text(encoding="utf-8")
    tasks = match_tasks({row.type for row in tour.rows["spatial"]})
    assert 0 < len(tasks) < len(match_tasks(ALL_TYPES))
    assert [line for line in card.splitlines() if "_choice`" in line or "_predicate`" in line] == [
        f"| {' | '.join(task)} |" for task in tasks if "_choice`" in task[2] or "_predicate`" in task[2]
    ]
