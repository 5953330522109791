"""Requests with pictures: named by digest, read when sent and not before, and kept nowhere."""

import base64
from hashlib import sha256
from pathlib import Path

import pytest
from pydantic import BaseModel

from instructions.errors import InstructionError
from instructions.language.budget import PICTURE_TOKENS, question_tokens
from instructions.language.client import ServerModel
from instructions.language.model import Message
from instructions.language.pictures import PictureFiles, data_url
from instructions.language.requests import Request, request_key
from instructions.language.runner import ask_all
from tests.support.doubles.fault_server import answers, fault_server
from tests.support.worlds.corridor import options

JPEG = b"\xff\xd8\xff\xe0" + bytes(range(256)) * 4
PNG = b"\x89PNG\r\n\x1a\n" + bytes(100)


class Color(BaseModel):
    """A reply of no kind of data that the package knows."""

    color: str


class Counting(PictureFiles):
    """Counts what is read."""

    def __init__(self) -> None:
        super().__init__()
        self.reads = 0

    def read(self, digest: str) -> bytes:
        self.reads += 1
        return super().read(digest)


def asked(*digests: str) -> Request[Color]:
    return Request("q", (Message("system", "Be brief."), Message("user", "Which colour?", digests)), Color)


@pytest.fixture
def pictures(tmp_path: Path) -> Counting:
    (tmp_path / "a.jpg").write_bytes(JPEG)
    (tmp_path / "b.png").write_bytes(PNG)
    return Counting()


def test_the_server_gets_text_and_pictures_as_content_parts(tmp_path, pictures):
    first, second = pictures.add(tmp_path / "a.jpg"), pictures.add(tmp_path / "b.png")
    assert first == sha256(JPEG).hexdigest()
    with fault_server(answers("red"), answers('{"color": "red"}')) as server:
        settings = options(server.base_url)
        found = ask_all([asked(first, second)], lambda: ServerModel(settings, pictures), tmp_path / "replies", settings)
    assert found.answers[0].value == Color(color="red")
    system, user = server.seen[0].body["messages"]
    assert system["content"] == "Be brief."  # a text alone stays a string: servers without pictures know nothing else
    text, *shown = user["content"]
    assert text == {"type": "text", "text": "Which colour?"}
    assert [part["type"] for part in shown] == ["image_url", "image_url"]
    urls = [part["image_url"]["url"] for part in shown]
    assert [url.split(",")[0] for url in urls] == ["data:image/jpeg;base64", "data:image/png;base64"]
    assert [base64.b64decode(url.split(",")[1]) for url in urls] == [JPEG, PNG]
    repair = server.seen[1].body["messages"]
    assert repair[:2] == [system, user], "a repair shows the pictures again"
    assert [message["role"] for message in repair[2:]] == ["assistant", "user"]
    without, shown = asked().messages, asked(first, second).messages
    assert question_tokens(shown, Color) == question_tokens(without, Color) + 2 * PICTURE_TOKENS


def test_a_kept_reply_reads_no_picture_and_holds_none(tmp_path, pictures):
    digest = pictures.add(tmp_path / "a.jpg")
    with fault_server(answers('{"color": "red"}')) as server:
        settings = options(server.base_url)
        ask_all([asked(digest)], lambda: ServerModel(settings, pictures), tmp_path / "replies", settings)
    assert pictures.reads == 1
    (tmp_path / "a.jpg").unlink()
    again = ask_all([asked(digest)], lambda: ServerModel(settings, pictures), tmp_path / "replies", settings)
    assert again.answers[0].value == Color(color="red")
    assert pictures.reads == 1
    (kept,) = (tmp_path / "replies").rglob("*.json")
    assert kept.stat().st_size < len(JPEG)


def test_the_key_hangs_on_what_is_in_the_pictures_and_on_their_order(tmp_path, pictures):
    first, second = pictures.add(tmp_path / "a.jpg"), pictures.add(tmp_path / "b.png")
    keys = {request_key(asked(*shown), options(None)) for shown in ((), (first,), (first, second), (second, first))}
    assert len(keys) == 4
    (tmp_path / "moved.jpg").write_bytes(JPEG)
    assert pictures.add(tmp_path / "moved.jpg") == first


def test_a_picture_that_cannot_be_shown_is_one_line(tmp_path, pictures):
    digest = pictures.add(tmp_path / "a.jpg")
    (tmp_path / "a.jpg").write_bytes(PNG)
    with pytest.raises(InstructionError, match=r"a\.jpg: the picture has changed"):
        pictures.read(digest)
    (tmp_path / "a.jpg").unlink()
    with pytest.raises(InstructionError, match=r"a\.jpg: the picture cannot be read"):
        pictures.read(digest)
    with pytest.raises(InstructionError, match="no file with this sha256"):
        pictures.read("ab" * 32)
    with pytest.raises(InstructionError, match="need a JPEG or PNG file"):
        data_url(b"GIF89a")
    with pytest.raises(InstructionError, match="need a sha256"):
        Message("user", "look", ("frames/000001.jpg",))
    settings = options("http://127.0.0.1:9/v1")
    with pytest.raises(InstructionError, match="no source"):
        ask_all([asked(digest)], lambda: ServerModel(settings), tmp_path / "replies", settings)
