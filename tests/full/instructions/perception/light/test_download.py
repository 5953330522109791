"""Fetching pinned files, from a server of this machine: whole, resumed, of wrong content, and without a network."""

from __future__ import annotations

import hashlib
import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from instructions.errors import InstructionError
from instructions.perception.models.light.download import fetch
from instructions.perception.models.light.folder import light_folder, require_sound
from instructions.perception.models.light.pins import LIGHT_FILES, LightFile
from roomtour.cli import main

CONTENT = bytes(range(256)) * 1000
FILE = LightFile(
    "yolox", "made/made.onnx", "nothing", "Apache-2.0", "someone/some-repository", "0" * 40, "made.onnx",
    hashlib.sha256(CONTENT).hexdigest(), len(CONTENT),
)  # fmt: skip


@dataclass
class Server:
    """Serves one content, and remembers which ranges were asked for."""

    content: bytes = CONTENT
    knows_ranges: bool = True
    cut_after: int | None = None
    """End the connection after so many bytes."""
    asked: list[str | None] = field(default_factory=list)
    status: int | None = None
    """Answer with this error."""
    url: str = ""


@pytest.fixture
def server() -> Iterator[Server]:
    state = Server()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked = self.headers.get("Range")
            state.asked.append(asked)
            if state.status is not None:
                self.send_error(state.status)
                return
            begin = int(asked.removeprefix("bytes=").removesuffix("-")) if asked and state.knows_ranges else 0
            body = state.content[begin:]
            self.send_response(206 if asked and state.knows_ranges else 200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body if state.cut_after is None else body[: state.cut_after])

        def log_message(self, format: str, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        state.url = f"http://127.0.0.1:{http.server_address[1]}/made.onnx"
        thread = threading.Thread(target=http.serve_forever, daemon=True)
        thread.start()
        yield state
        http.shutdown()
        thread.join()


def test_a_file_is_fetched_checked_and_put_in_place(server: Server, tmp_path: Path):
    told: list[tuple[int, int]] = []
    path = fetch(FILE, tmp_path, url=server.url, progress=lambda there, whole: told.append((there, whole)))
    assert path == tmp_path / "made" / "made.onnx"
    assert path.read_bytes() == CONTENT
    assert told[-1] == (len(CONTENT), len(CONTENT))
    assert told == sorted(told)
    assert [one.name for one in path.parent.iterdir()] == ["made.onnx"]


def test_what_is_there_is_not_fetched_again_and_what_is_damaged_is(server: Server, tmp_path: Path):
    path = fetch(FILE, tmp_path, url=server.url)
    fetch(FILE, tmp_path, url=server.url)
    assert len(server.asked) == 1
    path.write_bytes(b"damaged")
    assert fetch(FILE, tmp_path, url=server.url).read_bytes() == CONTENT
    assert len(server.asked) == 2


@pytest.mark.parametrize("knows_ranges", [True, False])
def test_a_cut_connection_is_gone_on_from(server: Server, tmp_path: Path, knows_ranges: bool):
    server.cut_after, server.knows_ranges = 100_000, knows_ranges
    with pytest.raises(InstructionError, match="cannot be reached") as caught:
        fetch(FILE, tmp_path, url=server.url)
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "made" / "made.onnx").exists()
    assert (tmp_path / "made" / "made.onnx.part").stat().st_size == 100_000
    server.cut_after = None
    assert fetch(FILE, tmp_path, url=server.url).read_bytes() == CONTENT
    assert server.asked == [None, "bytes=100000-"]


@pytest.mark.parametrize("content", [CONTENT[:-1] + b"x", CONTENT + b"more"])
def test_another_content_is_refused_and_thrown_away(server: Server, tmp_path: Path, content: bytes):
    server.content = content
    with pytest.raises(InstructionError, match=r"gave \d+ bytes with sha256 \w{12}, need 256000 with") as caught:
        fetch(FILE, tmp_path, url=server.url)
    assert "\n" not in str(caught.value)
    assert list((tmp_path / "made").iterdir()) == []


def test_no_network_is_one_line(tmp_path: Path):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(InstructionError, match=r"cannot be reached .*try again when there is a network") as caught:
        fetch(FILE, tmp_path, url=f"http://127.0.0.1:{port}/made.onnx")
    assert "\n" not in str(caught.value)


def test_the_pins_are_those_of_the_files(light_models: Path):
    for file in LIGHT_FILES:
        require_sound(file, light_models / file.path)
        assert (light_models / file.path).stat().st_size == file.size_bytes


def test_the_folder_is_the_one_asked_for_then_the_variables_then_the_cache(tmp_path: Path, monkeypatch):
    monkeypatch.setenv("ROOMTOUR_MODELS", str(tmp_path / "named"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert light_folder(tmp_path / "asked") == tmp_path / "asked"
    assert light_folder() == tmp_path / "named"
    monkeypatch.delenv("ROOMTOUR_MODELS")
    assert light_folder() == tmp_path / "cache" / "roomtour" / "models"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert light_folder() == Path.home() / ".cache" / "roomtour" / "models"


def test_the_command_pulls_lists_and_checks(server: Server, tmp_path: Path, monkeypatch, capsys):
    files = (replace(FILE, repository="x/y"),)
    for place in ("roomtour.cli.models", "instructions.perception.models.light.folder"):
        monkeypatch.setattr(f"{place}.LIGHT_FILES", files)
    monkeypatch.setattr("instructions.perception.models.light.folder.PERCEPTION_FILES", files)
    monkeypatch.setattr(LightFile, "url", property(lambda file: server.url))
    monkeypatch.setattr("roomtour.cli.models.find_missing_packages", list)
    folder = ["--vision.folder", str(tmp_path)]
    assert main(["models", "check", "light", *folder]) == 1
    assert "not here" in capsys.readouterr().out
    assert main(["models", "pull", "light", *folder]) == 0
    assert "Apache-2.0" in capsys.readouterr().out
    assert main(["models", "check", "light", *folder]) == 0
    assert main(["models", "list", *folder]) == 0
    assert "here" in capsys.readouterr().out
    (tmp_path / FILE.path).write_bytes(b"x")
    assert main(["models", "check", "light", *folder]) == 1
    assert "damaged" in capsys.readouterr().out
    server.content = b"y"
    assert main(["models", "pull", "light", *folder]) == 1
    assert "cannot be reached" in capsys.readouterr().err
