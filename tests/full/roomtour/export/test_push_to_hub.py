"""`export --push-to-hub` with the hub's own client against a hub on loopback."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, cast

import pytest

from roomtour.cli import main
from tests.support.export.made_datasets import MadeDatasets
from tests.support.export.made_run import make_run
from tests.support.runs.run_folder import write_run

TOKEN = "hf_of_nobody"
REPO = "me/home"


class Hub(ThreadingHTTPServer):
    """As much of a hub as an upload asks for."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.private: bool | None = None
        self.files: dict[str, bytes] = {}
        self.tokens: set[str | None] = set()


class _Handler(BaseHTTPRequestHandler):
    @property
    def hub(self) -> Hub:
        return cast(Hub, self.server)

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing."""

    def do_GET(self) -> None:
        info = {"id": REPO, "private": self.hub.private, "siblings": [{"rfilename": n} for n in self.hub.files]}
        self.answer([] if "/tree/" in self.path else {**info, "sha": "0" * 40, "tags": []})

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.path == "/api/repos/create":
            asked = json.loads(body)  # the older word, or the newer
            self.hub.private = asked.get("private", asked.get("visibility") == "private")
            self.answer({"url": f"http://127.0.0.1/datasets/{REPO}"})
        elif "/preupload/" in self.path:
            files = [{**file, "uploadMode": "regular"} for file in json.loads(body)["files"]]
            self.answer({"files": [{"path": f["path"], "uploadMode": "regular", "shouldIgnore": False} for f in files]})
        elif "/commit/" in self.path:
            for line in map(json.loads, body.splitlines()):
                if line["key"] == "file":
                    self.hub.files[line["value"]["path"]] = base64.b64decode(line["value"]["content"])
            url = f"http://127.0.0.1:{self.hub.server_address[1]}/datasets/{REPO}/commit/{'1' * 40}"
            self.answer({"commitUrl": url, "commitOid": "1" * 40, "pullRequestUrl": None})
        else:
            self.answer({})

    def answer(self, value: object) -> None:
        self.hub.tokens.add(self.headers.get("Authorization"))
        data = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    constants = pytest.importorskip("huggingface_hub.constants")
    with Hub() as server:
        Thread(target=server.serve_forever, daemon=True).start()
        monkeypatch.setattr(constants, "ENDPOINT", f"http://127.0.0.1:{server.server_address[1]}")
        monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)  # read once, when another test may have set it
        monkeypatch.setenv("HF_TOKEN", TOKEN)
        yield server
        server.shutdown()


def test_an_export_lies_on_the_hub_as_it_lies_here_and_nobody_else_sees_it(
    hub: Hub, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = tmp_path / "run"
    run.mkdir()
    (run / "frames").symlink_to(MadeDatasets(tmp_path / "made").walk[0].frames_dir)
    write_run(run, make_run(frames_dir=run / "frames"))
    out = tmp_path / "out"
    assert main(["export", str(run), "--format", "hf", "--out", str(out), "--push-to-hub", REPO]) == 0
    said = capsys.readouterr()
    assert "private" in said.out
    assert hub.private is True
    here = {path.relative_to(out).as_posix(): path.read_bytes() for path in out.rglob("*") if path.is_file()}
    assert hub.files == here
    assert hub.tokens == {f"Bearer {TOKEN}"}
    assert TOKEN not in said.out + said.err
    assert not any(TOKEN.encode() in data for data in here.values())
