"""A run of noise that was to be shown without people, and how much detail its pictures have left."""

import base64
import re
from collections.abc import Iterable
from pathlib import Path

import cv2
import numpy as np

from roomtour.store import RunStore
from tests.support.runs.made_tour import make_run
from tests.support.runs.run_folder import write_run

WHOLE = (0.0, 0.0, 4000.0, 4000.0)
"""A person who fills every picture."""


def write_hidden_run(folder: Path) -> Path:
    """Write it."""
    (folder / "frames").mkdir(parents=True)
    data = make_run(folder / "frames")
    for frame in data.scene.frames:
        noise = np.random.default_rng(frame.index).integers(0, 255, (frame.height, frame.width, 3), dtype=np.uint8)
        cv2.imwrite(str(folder / "frames" / frame.image), noise)
    write_run(folder, data)
    store = RunStore(folder)
    store.facts = {**store.facts, "options": {**store.facts["options"], "hide": "person"}}
    store.write()
    return folder


def measure_detail(contents: Iterable[bytes]) -> list[float]:
    """Mean step between neighbouring pixels of each JPEG; over 20 for noise."""
    found = []
    for content in contents:
        picture = cv2.imdecode(np.frombuffer(content, dtype=np.uint8), cv2.IMREAD_COLOR)
        assert picture is not None
        found.append(float(np.abs(np.diff(picture.astype(float), axis=1)).mean()))
    return found


def read_pictures(html: Path) -> list[bytes]:
    """The pictures inside a page."""
    return [base64.b64decode(one) for one in re.findall(r"data:image/jpeg;base64,([\w+/=]+)", html.read_text("utf-8"))]
