from dataclasses import replace
from pathlib import Path

import pytest

from recon.findings import Finding
from recon.records import ModelHealth, PoseSigma, Scene
from roomtour.export.core.records import RunData
from roomtour.report.merge_log import draw_merges, merge_graph
from roomtour.report.page import build_page
from roomtour.report.tables import health_table
from tests.support.runs.made_tour import make_facts, make_merge_log, make_run
from tests.support.runs.read_page import ReadPage

SOUND = ModelHealth(57, 0.97, 6.2, 120, 2, 31, 0.62, 0, 0.014, 0.03, 0)
DOUBTFUL = ModelHealth(57, 0.5, 2.1, 120, 60, 31, 9.5, 20, 0.3, 0.25, 0)


@pytest.fixture
def run(tmp_path: Path) -> RunData:
    return make_run(tmp_path, pictures=False)


def assess(scene: Scene, health: ModelHealth) -> Scene:
    model = scene.models[0]
    sigmas = {frame: PoseSigma(0.001 * frame, 0.01) for frame in model.frames}
    return replace(scene, models=(replace(model, health=health, pose_sigma=sigmas),))


def test_the_table_tells_each_figure_with_its_unit_and_marks_the_doubtful(run: RunData):
    assert health_table(run.scene) is None
    sound, doubtful = (ReadPage(str(health_table(assess(run.scene, health)))) for health in (SOUND, DOUBTFUL))
    for words in ("57 (97 % of its stretch)", "2 of 120", "0 of 31", "0.62", "1.4 %", "3.0 %", "0.01°"):
        assert words in sound.text
    assert f"frame {run.scene.models[0].frames[-1]}:" in sound.text
    assert sound.of_class("bad") == []
    assert len(doubtful.of_class("bad")) == 6


def test_errors_stand_above_everything_else_of_the_page(run: RunData):
    error = Finding("error", "merge.look_alikes", "tour", "the matches contradict <b>each other</b>")
    scene = replace(run.scene, findings=(Finding("info", "x.y", "tour", "a note"), error))
    page = build_page(replace(run, scene=scene), make_facts())

    assert page.index("Do not trust") < page.index('id="map"') < page.index('id="findings"')
    assert page.count("the matches contradict") == 2  # the verdict, and the list of findings
    assert "<b>each other</b>" not in page


def test_merges_tell_what_joined_what_spoke_against_it_and_what_was_cut():
    base = make_merge_log()[0][0]
    log = [replace(base, first="a/0", second="b/0.1", result="join/0", verdict="accepted")]
    page = ReadPage(merge_graph(["a/0", "b/0"], log))

    assert len(page.of_class("node")) == 3
    assert "2 sub-models became 1 model" in page.named("svg")[0]["aria-label"]
    base = make_merge_log()[0][0]
    attempt = replace(base, joined_by="matches", scale_disagreement=0.021, asked_pairs=40, contradicting_pairs=3)
    text = ReadPage(draw_merges([], [attempt])).text

    assert "matches" in text
    assert "2.1 %" in text
    assert "3 of 40" in text
