import re
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from recon.findings import Finding
from recon.records import ScaleStatus
from roomtour.report.page import RunFacts, build_page
from roomtour.verdict import split_advice
from tests.support.runs.made_tour import make_facts, make_merge_log, make_run
from tests.support.runs.read_page import ReadPage

EVIL = '"><script>alert(1)</script><img src=x onerror=alert(1)>" onload="alert(1) \'&amp;'
STATUSES: tuple[ScaleStatus, ...] = ("relative", "assumed", "metric")
METRES = re.compile(r"\d\s*m\b")


def full_page(folder: Path, status: ScaleStatus = "assumed", text: str = "", **made) -> ReadPage:
    attempts, sub_models = make_merge_log(text)
    return ReadPage(build_page(make_run(folder, status, text=text, **made), make_facts(text), attempts, sub_models))


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> ReadPage:
    return full_page(tmp_path_factory.mktemp("frames"), models=2)


def test_one_file_is_written_and_the_same_every_time(tmp_path: Path):
    data = make_run(tmp_path, models=2)
    text = build_page(data, make_facts())
    assert text == build_page(make_run(tmp_path, models=2), make_facts())
    assert text.startswith('<!doctype html>\n<html lang="en">')


def test_pictures_have_words_and_rejected_texts_their_reason(page: ReadPage):
    pictures = [found for name, found in page.elements if name == "svg" and "role" in found]
    assert len(pictures) > 48
    assert all(found["role"] == "img" and found["aria-label"] for found in pictures)
    assert "2 rejected texts and why" in page.text
    assert page.text.count("the last claim is false") == 2
    assert "✗ false" in page.text


def test_asks_nothing_of_any_other_host(tmp_path: Path):
    attempts, sub_models = make_merge_log()
    html = build_page(make_run(tmp_path, models=2), make_facts(), attempts, sub_models)
    page = ReadPage(html)
    links = [
        value for _, found in page.elements for name, value in found.items() if name in {"href", "src", "xlink:href"}
    ]
    assert links
    assert all(link.startswith(("#", "data:image/jpeg;base64,")) for link in links)
    assert "http:" not in html
    assert "https:" not in html
    assert not re.search(r"@import|url\(", html)
    assert not page.named("script")
    assert not page.named("link")


def test_text_from_data_never_becomes_markup(tmp_path: Path):
    data = make_run(tmp_path, text=EVIL, models=2)
    frames = tuple(replace(frame, image=f"{EVIL}{frame.index}.jpg") for frame in data.scene.frames)
    models = tuple(replace(model, name=f"{model.name}{EVIL}") for model in data.scene.models)
    walks = tuple(replace(walk, model=f"{walk.model}{EVIL}") for walk in data.trajectories)
    evil = replace(data, scene=replace(data.scene, frames=frames, models=models), trajectories=walks)
    attempts, sub_models = make_merge_log(EVIL)
    page = ReadPage(build_page(evil, make_facts(EVIL), attempts, sub_models))
    assert not page.named("script")
    assert not page.named("img")
    handlers = [name for _, found in page.elements for name in found if name.startswith("on")]
    assert handlers == []
    assert page.text.count("<script>alert(1)</script>") > 30


def test_every_finding_is_told(tmp_path: Path):
    data = make_run(tmp_path)
    many = [Finding("info", "sfm.lost", f"frame {n}", f"frame {n} was lost. Try film {n}") for n in range(40)]
    more = [Finding("error", f"code.{n}", "here", f"message number {n}, off by {n} px") for n in range(5)]
    scene = replace(data.scene, findings=(*many, *more, *data.scene.findings))
    page = ReadPage(build_page(replace(data, scene=scene), RunFacts()))
    for finding in scene.findings:
        said, advice = split_advice(finding.message)
        assert said in page.text
        assert advice in page.text
    assert page.text.index("message number 0") < page.text.index("frame 0 was lost")
    assert len(page.of_class("finding")) == 5 + 1 + 2  # what differs in figures only is one cause


def test_metres_stand_only_where_there_are_metres_and_assumed_ones_are_marked(tmp_path: Path):
    relative, assumed, metric = (full_page(tmp_path, status, pictures=False) for status in STATUSES)
    titles = " ".join(" ".join(found.values()) for name, found in relative.elements if name not in {"path", "image"})
    assert not METRES.search(relative.text + titles)
    assert not relative.of_class("scale-bar")
    metres = [assumed.text[found.start() : found.end() + 10] for found in METRES.finditer(assumed.text)]
    assert len(metres) >= 5
    assert [text for text in metres if "assumed" not in text] == []
    assert METRES.search(metric.text)
    assert not metric.of_class("assumed")


def test_without_a_model_the_page_says_why_and_what_to_try(tmp_path: Path):
    page = full_page(tmp_path, models=0)
    assert "No 3D model came out of this tour" in page.text
    assert "no two frames have enough parallax" in page.text
    assert "a tour in which the camera moves" in page.text
    assert not page.of_class("map")
    assert not METRES.search(page.text)
    assert page.of_class("thumbnail")


def test_the_least_runs_give_a_page(tmp_path: Path):
    data = make_run(tmp_path, models=0, pictures=False)
    scene = replace(data.scene, frames=(), clips=(), findings=())
    page = ReadPage(build_page(replace(data, scene=scene, provenance={}), RunFacts()))
    assert "No frames were read." in page.text
    data = make_run(tmp_path)
    model = data.scene.models[0]
    frame = model.frames[5]
    single = replace(model, world_from_cam={frame: model.world_from_cam[frame]})
    run = replace(
        data, scene=replace(data.scene, models=(single,)), trajectories=(), objects=(), rows={"navigation": ()}
    )
    assert ReadPage(build_page(run, RunFacts())).of_class("terminal")


def test_page_stays_small_for_a_long_tour_of_noise(tmp_path: Path):
    rng = np.random.default_rng(0)
    noise_bgr = rng.integers(0, 255, (360, 480, 3), dtype=np.uint8)
    data = make_run(tmp_path, pictures=False)
    base = data.scene.frames[0]
    count = 1500
    frames = tuple(replace(base, index=n, time_s=n / 3, image="noise.png") for n in range(1, count + 1))
    cv2.imwrite(str(tmp_path / "noise.png"), noise_bgr)
    row = data.instructions[0]
    texts = tuple(replace(row, id=f"i{n}", views=tuple(range(n * 5 + 1, n * 5 + 30, 3))) for n in range(290))
    long = replace(data, scene=replace(data.scene, frames=frames), rows={"navigation": texts})
    html = build_page(long, make_facts())
    assert 60 < len(ReadPage(html).named("image")) <= 108
    assert len(html.encode()) < 6e6


def test_images_are_plain_files_of_the_folder_and_missing_ones_are_counted(tmp_path: Path):
    folder = tmp_path / "frames"
    folder.mkdir()
    page = full_page(folder, pictures=False)
    assert "48 images could not be read" in page.text
    assert not page.named("image")
    data = make_run(folder)
    (folder / "000001.jpg").rename(tmp_path / "secret.jpg")
    first = replace(data.scene.frames[0], image="../secret.jpg")
    run = replace(data, scene=replace(data.scene, frames=(first, *data.scene.frames[1:])))
    assert "1 image could not be read" in ReadPage(build_page(run, RunFacts())).text
