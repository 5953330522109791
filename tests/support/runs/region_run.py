"""A run folder with region knowledge: real rows and twins of a made view, told of a frame of a made run."""

from dataclasses import replace
from pathlib import Path

from instructions.regions.facts_qar import write_facts
from instructions.regions.records import Pair, Qar, RegionView
from instructions.regions.regions_of_view import number_regions
from instructions.regions.twins import twist_rows
from roomtour.files.records import write_jsonl
from roomtour.run import Run
from roomtour.view.tour import TourView, load_tour
from tests.support.runs.made_tour import make_run
from tests.support.runs.run_folder import STAGES_RUN, write_run
from tests.support.worlds.made_view import thing, view

Judged = tuple[TourView, tuple[RegionView, ...], tuple[Qar, ...], tuple[Pair, ...]]


def write_region_run(folder: Path, **changed: object) -> Path:
    """Write it; `changed` replaces fields of every row."""
    (folder / "frames").mkdir()
    run = make_run(folder / "frames")
    frame = min(run.scene.models[0].world_from_cam)
    write_run(folder, run, stages=[*STAGES_RUN, "regions"])
    numbered, record = number_regions(
        view(
            thing("s", (3.0, 1.5, 0.4), (0.4, 0.9, 0.4), category="sofa", color="red"),
            thing("c", (2.0, -0.8, 0.45), (0.25, 0.25, 0.45), category="chair", color="black"),
            thing("t", (3.0, -0.2, 0.35), (0.4, 0.5, 0.35), category="table", color="brown"),
            looked_for=frozenset({"sofa", "chair", "table", "piano"}),
        ),
        "000001.jpg",
        {},
    )
    written = write_facts(numbered, record, "made", seed=1)
    pairs = twist_rows(numbered, [fact.row for fact in written])
    rows = [replace(one.row, views=(frame,), tour=run.scene.id, **changed) for one in written]  # pyright: ignore[reportArgumentType]
    (folder / "regions").mkdir(exist_ok=True)
    write_jsonl(folder / "regions/rows.jsonl", [row for row in rows if row.accepted], Qar)
    write_jsonl(folder / "regions/rejected.jsonl", [row for row in rows if not row.accepted], Qar)
    write_jsonl(folder / "regions/views.jsonl", [replace(record, frame=frame)], RegionView)
    write_jsonl(folder / "regions/pairs.jsonl", pairs, Pair)
    return folder


def read_judged(folder: Path) -> Judged:
    """What the samples are drawn from."""
    run = Run(folder)
    return load_tour(run, 1000), run.region_views, run.rows("regions"), run.region_pairs
