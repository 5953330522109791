"""`roomtour critic`: trains what scores rows of region knowledge, and shows what a threshold does."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import tyro

from recon.numerals import count
from roomtour.cli.console import tell
from roomtour.cli.parsing.flags import call, require_runs
from roomtour.errors import RoomtourError, UsageError, did_you_mean

if TYPE_CHECKING:
    from instructions.regions.critic.features import ViewLook
    from instructions.regions.critic.labels import Labelled
    from instructions.regions.records import RegionView

_USAGE = """\
usage: roomtour critic train RUNS... [--out CRITIC] [--labels people|made]
       roomtour critic curve RUNS... [--critic CRITIC] [--labels people|made] [--wanted SHARE]
       roomtour critic ablate RUNS... [--labels people|made] [--head linear|hidden] [--pictures]

Train the critic of region knowledge, trace what its threshold does, or see what each of its inputs is worth.
Each word has its own help: roomtour critic train --help"""


def main(words: Sequence[str]) -> int:
    """Train the critic of region knowledge, trace what its threshold does, or see what each of its inputs is worth.

    `roomtour critic train RUNS --out CRITIC`, `roomtour critic curve RUNS --critic CRITIC` and
    `roomtour critic ablate RUNS`.
    """
    known = {"train": train, "curve": curve, "ablate": ablate}
    name, rest = (words[0], list(words[1:])) if words else ("", [])
    if name in ("", "-h", "--help"):
        print(_USAGE)
        return 0 if name else 2
    if name not in known:
        raise UsageError(f"critic {name}: no such word.{did_you_mean(name, known)} Known: {', '.join(known)}")
    return call(known[name], rest)


def train(
    runs: tyro.conf.Positional[tuple[Path, ...]],
    /,
    out: Path = Path("critic"),
    labels: Literal["people", "made"] = "people",
    head: Literal["linear", "hidden"] = "linear",
    pictures: bool = False,
) -> int:
    """Train a critic on rated rows of finished runs, and write it to a folder.

    Args:
        runs: Run folders with region knowledge.
        out: Folder for critic.json and critic.npz.
        labels: `people`: the ratings in RUN/reviews/qar_ratings.jsonl; `made`: true rows and their false twins.
        head: `linear`: logistic and ridge regression. `hidden`: one layer of 256 units (needs the extra `models`).
        pictures: Also see the pictures, by the image encoder of `--vision.tags` (needs the extra `models`).
    """
    from instructions.regions.critic.model import save_critic
    from instructions.regions.critic.train import train_critic

    labelled, views = _read(runs, labels)
    looks = look_at_runs(runs) if pictures else None
    critic = train_critic(labelled, views, labels, head=head, looks=looks)
    save_critic(critic, out)
    facts = critic.facts
    tell(
        f"{out}: {count(facts['rows'], 'row')} of {count(facts['tours'], 'tour')} ({facts['accepted']} accepted, "
        f"labels {labels}); "
        f"on rows held out by {facts['folds_by']} AUC {facts['auc_unseen']:.3f}, calibration error "
        f"{facts['calibration_error']:.3f}"
    )
    return 0


def curve(
    runs: tyro.conf.Positional[tuple[Path, ...]],
    /,
    critic: Path = Path("critic"),
    labels: Literal["people", "made"] = "people",
    wanted: float = 0.7,
) -> int:
    """Print for each threshold what share is kept, and what share of that is accepted, with a 95 % interval.

    Give other runs than the critic was trained on. Without filtering the accepted share is that of threshold 0.

    Args:
        runs: Run folders with region knowledge.
        critic: Folder of the critic.
        labels: Whose labels to hold it against: people's, or made ones.
        wanted: Accepted share to reach.
    """
    import numpy as np

    from instructions.regions.critic.curve import find_threshold, measure_calibration, trace_curve
    from instructions.regions.critic.model import load_critic

    trained = load_critic(critic)
    labelled, views = _read(runs, labels, is_figure=True)
    if not labelled:
        raise RoomtourError(f"{runs[0]}: no labelled rows; rate some, or give --labels made")
    looks = look_at_runs(runs) if trained.look_size else None
    scores = trained.score([label.row for label in labelled], views, looks)
    accepted = np.array([label.targets.accepted for label in labelled])
    points = trace_curve(scores, accepted)
    if "made" in (labels, trained.labels):
        tell(f"labels: {labels}; the critic was trained on {trained.labels} labels. This is no opinion of people.")
    tell("threshold  kept  accepted  95 %           precision  recall  F1")
    for point in points:
        share = "-" if point.accepted is None else f"{point.accepted:.3f}"
        reach = "-" if point.low is None or point.high is None else f"{point.low:.3f} to {point.high:.3f}"
        tell(
            f"{point.threshold:9.2f}  {point.kept:4.2f}  {share:>8}  {reach:<13}  {point.precision:9.3f}"
            f"  {point.recall:6.3f}  {point.f1:.3f}"
        )
    tell(f"without a critic, or by lot: {accepted.mean():.3f} accepted")
    tell(f"calibration error {measure_calibration(scores, accepted):.3f} over {count(len(labelled), 'row')}")
    threshold = find_threshold(points, wanted)
    tell(
        f"accepted share {wanted} " + (f"from threshold {threshold}" if threshold is not None else "is reached nowhere")
    )
    return 0


def ablate(
    runs: tyro.conf.Positional[tuple[Path, ...]],
    /,
    labels: Literal["people", "made"] = "people",
    head: Literal["linear", "hidden"] = "linear",
    pictures: bool = False,
) -> int:
    """Train with all inputs and without each group of them; print the figures on rows held out by tour.

    What a descriptor is worth to a language model that writes is seen on runs made without it
    (`--set regions.descriptors=global,local`), by `roomtour critic curve`.

    Args:
        runs: Run folders with region knowledge.
        labels: `people`: the ratings in RUN/reviews/qar_ratings.jsonl; `made`: true rows and their false twins.
        head: As of `roomtour critic train`.
        pictures: Also see the pictures.
    """
    from instructions.regions.critic.train import ablate_critic

    labelled, views = _read(runs, labels)
    looks = look_at_runs(runs) if pictures else None
    if labels == "made":
        tell("labels: made. This is no opinion of people.")
    tell("without    AUC    calibration error  accepted  of the best fifth")
    for ablation in ablate_critic(labelled, views, labels, head=head, looks=looks):
        tell(
            f"{ablation.without or 'nothing':<9}  {ablation.auc:.3f}  {ablation.calibration_error:17.3f}"
            f"  {ablation.accepted:8.3f}  {ablation.best_fifth:17.3f}"
        )
    return 0


def look_at_runs(runs: Sequence[Path]) -> dict[str, ViewLook]:
    """Embeddings of the views of runs, by id."""
    from instructions.regions.critic.features import look_at_views
    from roomtour.artifacts import FRAMES, REGION_VIEWS
    from roomtour.stages.kinds.regions import find_encoder

    encoder = find_encoder()
    looks: dict[str, ViewLook] = {}
    for path in runs:
        looks |= look_at_views(REGION_VIEWS.read(path), path / FRAMES.path, encoder)
    return looks


def _read(
    runs: Sequence[Path], labels: str, *, is_figure: bool = False
) -> tuple[list[Labelled], dict[str, RegionView]]:
    """Labelled rows and views of all runs; for figures without those that were shown because a critic doubted them."""
    from instructions.regions.critic.labels import label_by_people, label_made
    from roomtour.artifacts import REGION_PAIRS, REGION_VIEWS
    from roomtour.files.reviews import QAR_RATINGS
    from roomtour.run import Run

    require_runs("critic", runs, "train RUN...")
    labelled: list[Labelled] = []
    views: dict[str, RegionView] = {}
    for path in runs:
        run = Run(path)
        rows = (*run.rows("regions"), *run.rejected_rows("regions"))
        views |= {view.id: view for view in REGION_VIEWS.read(path)}
        if labels == "made":
            labelled += label_made(rows, REGION_PAIRS.read(path))
        else:
            ratings = [rating for rating, _ in QAR_RATINGS.match(QAR_RATINGS.load(path), rows)[0]]
            if is_figure:
                ratings = [rating for rating in ratings if rating.drawn == "random"]
            labelled += label_by_people(rows, ratings)
    return labelled, views
