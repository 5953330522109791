"""How often a clip is mapped."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

from recon.mapping import sfm
from recon.mapping.mapping import Attempt
from recon.mapping.options import SIFT_BARS, SfmOptions
from recon.records import Clip


def test_a_clip_less_than_half_consistent_is_left_to_learned_keypoints(subtests, monkeypatch):
    monkeypatch.setattr(sfm, "_map_again", lambda *_: [])
    monkeypatch.setattr(sfm, "map_globally", lambda *_: [])
    monkeypatch.setattr(sfm, "_finish", lambda attempt, *_: attempt)
    model: Any = SimpleNamespace(reg_image_ids=lambda: [])
    for longest, models, learned_follow, mappers in [
        (19, (model,), True, ["incremental"]),
        (20, (model,), True, ["incremental", "global"]),
        (19, (model,), False, ["incremental", "global"]),
        (19, (), True, ["incremental"]),
    ]:
        with subtests.test(longest=longest, models=len(models), learned_follow=learned_follow):
            audit: Any = SimpleNamespace(doubts=(SimpleNamespace(evidence="torn"),), longest=longest)
            draft = Attempt("incremental", models, audit, finished=True)
            monkeypatch.setattr(sfm, "make_attempt", lambda name, *_, draft=draft: replace(draft, name=name))
            job: Any = SimpleNamespace(options=SfmOptions(), bars=replace(SIFT_BARS, learned_follow=learned_follow))
            attempts = sfm._attempts(Clip("000", 0, tuple(range(40))), job, [[]])
            assert [attempt.name for attempt in attempts] == mappers
