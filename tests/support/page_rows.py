"""The rows that a page of `roomtour browse` holds, and a small dataset to make one of."""

import json
from collections.abc import Sequence
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from roomtour.export.core.folder import write_marker


class _Page(HTMLParser):
    """Texts of the elements that hold data, and names of all elements."""

    def __init__(self) -> None:
        super().__init__()
        self.data: list[str] = []
        self.names: list[str] = []
        self._is_data = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.append(tag)
        self._is_data = ("type", "application/json") in attrs

    def handle_data(self, data: str) -> None:
        if self._is_data:
            self.data.append(data)

    def handle_endtag(self, tag: str) -> None:
        self._is_data = False


def read_page(page: Path) -> tuple[list[dict[str, Any]], list[str]]:
    """Rows of a page, read as a browser does, and the names of its elements."""
    parsed = _Page()
    parsed.feed(page.read_text(encoding="utf-8"))
    return [row for data in parsed.data for row in json.loads(data)], parsed.names


def write_messages(folder: Path, rows: Sequence[dict[str, Any]]) -> Path:
    """A dataset of the format `messages` with the picture `images/home/1 a#.png`, 40 x 30; rows need an id only."""
    (folder / "images" / "home").mkdir(parents=True)
    cv2.imwrite(str(folder / "images" / "home" / "1 a#.png"), np.full((30, 40, 3), 200, np.uint8))
    lines = [json.dumps({"images": ["images/home/1 a#.png"], "tour": "home", "messages": [], **row}) for row in rows]
    (folder / "train.jsonl").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    write_marker(folder, {"format": "messages"}, ["train.jsonl", "images"])
    return folder
