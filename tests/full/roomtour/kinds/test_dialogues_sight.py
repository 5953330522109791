"""A language model that sees is shown the view that it writes about; one that only reads is not."""

import base64
import json
import shutil
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from instructions.dialogues.tasks.distractors import Distractors
from instructions.language.budget import PICTURE_TOKENS
from recon.upright.scene_io import read_scene
from roomtour.artifacts import FRAMES, SCENE
from roomtour.cli import main
from roomtour.cli.parsing.settings import build_config, read_settings
from roomtour.cli.running.estimate import estimate_language
from roomtour.run import Run
from roomtour.stages.kinds.dialogues import find_requests
from tests.support.doubles.fault_server import answers, answers_in_form, fails, fault_server

TALK = {
    "turns": [
        {"question": "Do you like being here?", "answer": "Yes, it is pleasant.", "about": "reason", "claims": []},
        {"question": "Would you stay?", "answer": "I would, for a while.", "about": "reason", "claims": []},
    ]
}


@pytest.fixture
def folder(finished_run: Path, tmp_path: Path) -> Path:
    shutil.copytree(finished_run, tmp_path / "run")
    return tmp_path / "run"


def told(address: str, *more: str) -> tuple[str, ...]:
    return (f"language.base_url={address}", "language.model=seer", "language.retries=0", "dialogues.skip_pilot=true",
            "dialogues.medium=view", *more)  # fmt: skip


def make(folder: Path, address: str, *more: str) -> int:
    words = [word for one in told(address, *more) for word in ("--set", one)]
    return main(["make", str(folder), "--data", "dialogues", "--writer", "llm", *words])


def answer_talk(handler: Any, body: dict[str, Any]) -> None:
    (answers(json.dumps(TALK)) if schema_of(body) == "Talk" else answers_in_form)(handler, body)


def shown_by(body: dict[str, Any]) -> list[str]:
    """The sha256 of every picture that a request shows, also in a round of repair."""
    said = [one["content"] for one in body["messages"] if not isinstance(one["content"], str)]
    urls = [part["image_url"]["url"] for parts in said for part in parts if part["type"] == "image_url"]
    return [sha256(base64.b64decode(url.split(",", 1)[1])).hexdigest() for url in urls]


def schema_of(body: dict[str, Any]) -> str:
    return body["response_format"]["json_schema"]["name"]


def rows_of_model(folder: Path) -> list[Any]:
    run = Run(folder)
    return [row for row in (*run.rows("dialogues"), *run.rejected_rows("dialogues")) if row.writer.startswith("llm")]


def test_each_view_is_shown_to_a_server_that_sees(folder: Path):
    with fault_server(answer_talk) as server:
        assert make(folder, server.base_url, "dialogues.sight=server") == 0
        bodies = [one.body for one in server.seen if schema_of(one.body) in ("Talk", "Description")]
    frames = read_scene(folder / SCENE.path).frames
    known = {sha256((folder / FRAMES.path / one.image).read_bytes()).hexdigest(): one.index for one in frames}
    shown = [[known[digest] for digest in shown_by(body)] for body in bodies]
    asked = {row.views for row in rows_of_model(folder)}
    assert {tuple(one) for one in shown} == asked  # of each request its own view, and nothing else
    assert len(asked) > 1
    assert all("shown the picture" in body["messages"][0]["content"] for body in bodies)


def test_pictures_count_in_the_estimate_and_kept_replies_are_found(folder: Path):
    with fault_server(answer_talk) as server:
        for more in ((), ("dialogues.sight=server",)):
            config = build_config(
                None, read_settings((*told(server.base_url, *more), "writer=llm", "data=[dialogues]"))
            )
            before = estimate_language(folder, config)
            requests = find_requests(folder, config)
            shown = [sum(len(one.pictures) for one in request.messages) for request in requests]
            assert (sum(shown) > 1) == bool(more)
            # Wrong options are asked for without pictures, and kept from the first round.
            assert before.kept == (sum(one.schema is Distractors for one in requests) if more else 0)
            assert before.likely.prompt_tokens >= sum(shown) * PICTURE_TOKENS
            assert make(folder, server.base_url, *more) == 0
            after = estimate_language(folder, config)
            assert after.kept == after.questions == before.questions


def test_a_server_for_texts_only_is_one_line_that_says_what_to_try(folder: Path, capsys: pytest.CaptureFixture[str]):
    def refuse_pictures(handler: Any, body: dict[str, Any]) -> None:
        (fails(400) if shown_by(body) else answer_talk)(handler, body)

    with fault_server(refuse_pictures) as server:
        assert make(folder, server.base_url, "dialogues.sight=server") != 0
    said = " ".join(capsys.readouterr().err.split())
    assert "the server answers 400" in said
    assert "If it takes no pictures: --set dialogues.sight=off" in said
