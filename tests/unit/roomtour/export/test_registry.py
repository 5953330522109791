"""The table of formats names every folder, and imports what is asked for."""

import subprocess
import sys
from pathlib import Path

import pytest

import roomtour.export.formats
from roomtour.export.registry import FORMATS

FOLDER = Path(next(iter(roomtour.export.formats.__path__)))


def test_every_folder_is_named_and_its_row_bears_that_name():
    folders = {path.parent.name for path in FOLDER.glob("*/__init__.py")}
    assert {name.replace("-", "_") for name in FORMATS} == folders
    assert {name: row.name for name, row in FORMATS.items()} == {name: name for name in FORMATS}


def test_what_nobody_made_is_no_format():
    assert "r3r" not in FORMATS
    with pytest.raises(KeyError):
        FORMATS["r3r"]


def test_the_one_asked_for_is_imported_alone():
    program = "import sys; from roomtour.export.registry import get_format; get_format('tum'); print(*sys.modules)"
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    start = "roomtour.export.formats."
    assert {name.split(".")[3] for name in ran.stdout.split() if name.startswith(start)} == {"tum"}
