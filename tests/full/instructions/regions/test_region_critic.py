"""The critic's two kinds of heads on made ratings: targets, losses, what is kept on disk, pictures, reasons."""

import json
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import cv2
import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from instructions.errors import InstructionError
from instructions.perception.interfaces import RgbImage
from instructions.regions.choose import number_regions
from instructions.regions.critic import heads as critic_heads
from instructions.regions.critic.curve import measure_calibration, trace_curve
from instructions.regions.critic.features import look_at_views
from instructions.regions.critic.heads import Heads, fit_hidden, fit_linear
from instructions.regions.critic.labels import Labelled, Targets
from instructions.regions.critic.model import apply_critic, load_critic, save_critic
from instructions.regions.critic.train import FOLDS, HeadKind, _groups, ablate_critic, measure_auc, train_critic
from instructions.regions.facts_qar import write_facts
from instructions.regions.records import Qar, RegionView
from instructions.regions.sets.twins import twist_rows
from tests.support.cases import each_case
from tests.support.worlds.made_view import thing, view

HEADS: tuple[HeadKind, ...] = ("linear", "hidden")
ROOM = view(
    thing("s", (3.0, 1.5, 0.4), (0.4, 0.9, 0.4), category="sofa", color="red"),
    thing("c", (2.0, -0.8, 0.45), (0.25, 0.25, 0.45), category="chair", color="black"),
    thing("t", (3.0, -0.2, 0.35), (0.4, 0.5, 0.35), category="table", color="brown"),
    thing("v", (3.0, -0.2, 0.8), (0.1, 0.1, 0.1), category="vase", color="blue"),
    looked_for=frozenset({"sofa", "chair", "table", "piano"}),
)
TOURS = 6


@cache
def label() -> tuple[dict[str, RegionView], list[Labelled]]:
    """True rows and their twins, told as if of several tours."""
    numbered, record = number_regions(ROOM, "000001.jpg", {})
    views, out = {}, []
    for seed in range(TOURS):
        told = replace(record, id=f"v{seed}", image=f"{seed}.png")
        views[told.id] = told
        written = write_facts(numbered, record, "made", seed=seed)
        pairs = {pair.row: pair for pair in twist_rows(numbered, [fact.row for fact in written], seed=seed)}
        for fact in written:
            row = replace(fact.row, tour=f"t{seed}", view=told.id)
            out.append(Labelled(row, Targets(True, 3.0, 3.0)))
            if (pair := pairs.get(fact.row.id)) is not None:
                false = replace(row, id=pair.id, answer=pair.rejected, verdicts=pair.verdicts)
                out.append(Labelled(false, Targets(False, 0.0, 0.0)))
    return views, out


@pytest.mark.parametrize("head", HEADS)
def test_either_head_tells_false_rows_of_tours_it_has_not_seen(tmp_path: Path, head: HeadKind):
    views, labelled = label()
    known = [one for one in labelled if one.row.tour not in ("t0", "t1")]
    unseen = [one for one in labelled if one.row.tour in ("t0", "t1")]
    critic = train_critic(known, views, "made", head=head)
    rows, accepted = [one.row for one in unseen], np.array([one.targets.accepted for one in unseen])
    scores = critic.score(rows, views)
    assert measure_auc(scores, accepted) > 0.9
    assert measure_calibration(scores, accepted) < 0.15
    half = next(one for one in trace_curve(scores, accepted) if one.threshold == 0.5)
    assert half.accepted is not None
    assert half.accepted > accepted.mean() + 0.2
    save_critic(critic, tmp_path)
    assert np.array_equal(load_critic(tmp_path).score(rows, views), scores)
    told = json.loads((tmp_path / "critic.json").read_text())["facts"]
    assert told["head"] == head
    assert ("torch" in told["versions"]) == (head == "hidden")
    assert np.array_equal(train_critic(known, views, "made", head=head).score(rows, views), scores)
    (tmp_path / "critic.json").write_text("{}")
    with pytest.raises(InstructionError, match=r"critic.json: is no roomtour critic"):
        load_critic(tmp_path)
    with pytest.raises(InstructionError, match="need 40 and both kinds"):
        train_critic(labelled[:10], {}, "people")


def test_the_layer_without_torch_is_the_layer_with_it():
    rng = np.random.default_rng(0)
    inputs, accepted = rng.normal(size=(200, 7)), rng.random(200) < 0.5
    heads = fit_hidden(inputs, accepted, np.where(accepted, 3.0, 0.0), rng.random(200))
    layer = torch.nn.Linear(7, 256).double()
    last = torch.nn.Linear(256, 1).double()
    with torch.no_grad():
        layer.weight.copy_(torch.tensor(heads.hidden[:-1].T))
        layer.bias.copy_(torch.tensor(heads.hidden[-1]))
        last.weight.copy_(torch.tensor(heads.accepted[None, :-1]))
        last.bias.copy_(torch.tensor(heads.accepted[-1:]))
        expected = last(torch.relu(layer(torch.tensor(inputs))))[:, 0].numpy()
    assert heads.apply(heads.accepted, inputs) == pytest.approx(expected)


@pytest.mark.parametrize("fit", [fit_linear, fit_hidden])
def test_each_head_learns_its_own_target(fit):
    """Answer and rationale hang on different inputs; the released code regressed both on the answer's."""
    rng = np.random.default_rng(1)
    inputs = rng.normal(size=(2000, 6))
    accepted = inputs[:, 0] > 0
    qa, rationale = 1.5 + np.clip(inputs[:, 1], -1.5, 1.5), 1.5 + np.clip(inputs[:, 2], -1.5, 1.5)
    heads: Heads = fit(inputs, accepted, qa, rationale)
    fresh = rng.normal(size=(500, 6))
    for head, own in ((heads.accepted, 0), (heads.qa, 1), (heads.rationale, 2)):
        told = heads.apply(head, fresh)
        alike = [abs(np.corrcoef(told, fresh[:, column])[0, 1]) for column in range(3)]
        assert int(np.argmax(alike)) == own
        assert alike[own] > 0.9
        assert sorted(alike)[1] < 0.3


def test_without_torch_it_is_one_line(monkeypatch: pytest.MonkeyPatch):
    def refuse(name: str):
        raise ImportError(name)

    monkeypatch.setattr(critic_heads, "import_module", refuse)
    views, labelled = label()
    with pytest.raises(InstructionError, match=r"needs torch: pip install .roomtour\[models\]., or train with --head"):
        train_critic(labelled, views, "made", head="hidden")
    train_critic(labelled, views, "made")


class Brightness:
    """An encoder that tells bright pictures from dark ones, and nothing else."""

    def embed(self, images: Sequence[RgbImage]) -> NDArray[np.float32]:
        bright = np.array([image.mean() / 255 for image in images])
        return np.stack([np.cos(bright), np.sin(bright)], axis=1).astype(np.float32)


@pytest.mark.parametrize("head", HEADS)
def test_a_critic_that_sees_pictures_learns_what_only_they_show(tmp_path: Path, head: HeadKind):
    views, labelled = label()
    rng = np.random.default_rng(2)
    for seed in range(TOURS):
        shade = 200 if seed % 2 else 40
        picture = np.full((600, 1000, 3), shade, np.uint8) + rng.integers(0, 20, (600, 1000, 3), dtype=np.uint8)
        cv2.imwrite(str(tmp_path / f"{seed}.png"), picture)
    looks = look_at_views(views.values(), tmp_path, Brightness())
    assert set(looks["v0"].regions) == {one.number for one in views["v0"].regions}
    # People accept what is said of the bright tours, whatever is said.
    told = [
        Labelled(one.row, Targets(True, 3.0, 3.0) if int(one.row.tour[1:]) % 2 else Targets(False, 0.0, 0.0))
        for one in labelled
    ]
    blind = train_critic(told, views, "people", head=head)
    sees = train_critic(told, views, "people", head=head, looks=looks)
    assert blind.facts["auc_unseen"] < 0.75 < 0.95 < sees.facts["auc_unseen"]
    assert (blind.look_size, sees.look_size) == (0, 2)
    save_critic(sees, tmp_path / "critic")
    again = load_critic(tmp_path / "critic")
    rows = [one.row for one in told]
    assert np.array_equal(again.score(rows, views, looks), sees.score(rows, views, looks))
    with pytest.raises(InstructionError, match="needs embeddings of 2 numbers, found 0"):
        again.score(rows, views)
    reasons = again.explain(rows, views, looks)
    assert np.mean([max(one, key=lambda group: abs(one[group])) == "pictures" for one in reasons]) > 0.8


@each_case("head", HEADS)
def test_scores_come_with_an_interval_and_reasons(head: HeadKind):
    views, labelled = label()
    critic = train_critic(labelled, views, "made", head=head)
    rows: list[Qar] = [one.row for one in labelled]
    scored = apply_critic(rows, list(views.values()), critic, 0.5)
    for row in scored:
        assert row.score is not None
        assert row.score_interval is not None
        assert 0.0 <= row.score_interval[0] < row.score_interval[1] <= 1.0
        assert [reason.split()[0] for reason in row.score_reasons].count("verdicts") == 1
    true = [row.score_interval[0] for row in scored if row.accepted and row.score_interval]
    false = [row.score_interval[1] for row in scored if row.rejected_because == "critic" and row.score_interval]
    assert np.mean(true) > np.mean(false)
    rejected = next(row for row in scored if row.rejected_because == "critic")
    assert rejected.score_reasons[0] in (rejected.rejection or "")


def test_the_ablation_tells_what_each_group_is_worth():
    views, labelled = label()
    told = {one.without: one for one in ablate_critic(labelled, views, "made")}
    assert list(told) == [None, "text", "regions", "verdicts"]
    assert told["verdicts"].auc < told[None].auc
    assert told["verdicts"].best_fifth <= told[None].best_fifth
    assert told[None].auc == train_critic(labelled, views, "made").facts["auc_unseen"]
    assert {one.accepted for one in told.values()} == {np.mean([one.targets.accepted for one in labelled])}


def test_of_a_single_tour_neighbouring_views_are_held_out_together():
    views, labelled = label()
    single = [replace(one, row=replace(one.row, tour="t")) for one in labelled]
    stretches = dict(zip([one.row.view for one in single], _groups(single), strict=True))
    assert len(set(stretches.values())) == min(FOLDS, len(views))
    assert sorted(stretches.values()) == [stretches[view] for view in sorted(stretches)]  # none comes twice
    assert set(_groups(labelled)) == {f"t{seed}" for seed in range(TOURS)}
    assert train_critic(single, views, "made").facts["folds_by"] == "stretch of views"
