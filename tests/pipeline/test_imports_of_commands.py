"""What quick commands must not import: each of these costs a tenth of a second of CPU time or more."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

_NO_ARRAYS = {"numpy", "pyarrow"}
_HEAVY = {"scipy", "sklearn", "networkx", "cv2", "pycolmap", "av", "pandas", "torch", "structlog", "viser", "openai"}

_SCRIPT = """
import json, sys
from roomtour.cli import main
code = main(sys.argv[1:])
sys.stdout.flush()
print("\\n" + json.dumps([code, sorted(name for name in sys.modules if "." not in name)]))
"""


def imported_by(*args: str) -> set[str]:
    ran = subprocess.run([sys.executable, "-c", _SCRIPT, *args], capture_output=True, text=True, check=True)
    code, modules = json.loads(ran.stdout.splitlines()[-1])
    assert code == 0
    return set(modules)


@pytest.mark.parametrize(
    "args", [["--version"], ["--help"], ["process", "--help"], ["options", "clips"]], ids=lambda args: " ".join(args)
)
def test_help_and_version_import_no_arrays(args: list[str]):
    assert imported_by(*args) & (_HEAVY | _NO_ARRAYS) == set()


def test_show_imports_arrays_only(finished_run: Path):
    assert imported_by("show", str(finished_run)) & (_HEAVY | {"pyarrow"}) == set()


def test_driving_a_job_imports_no_learning_library():
    script = "import sys, roomtour.batch.driver, roomtour.batch.plan; print(*sys.modules)"
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert set(ran.stdout.split()) & {"sklearn", "pandas", "torch"} == set()


def test_the_package_itself_imports_nothing_heavy():
    script = "import sys, roomtour, roomtour.export, roomtour.report; print(*sys.modules)"
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert set(ran.stdout.split()) & (_HEAVY | _NO_ARRAYS) == set()


def test_the_public_names_are_there_when_asked_for():
    import roomtour
    import roomtour.export
    import roomtour.report

    for package in (roomtour, roomtour.export, roomtour.report):
        for name in package.__all__:
            assert getattr(package, name) is not None
        with pytest.raises(AttributeError, match="no attribute 'nothing'"):
            _ = package.nothing  # type: ignore[attr-defined]
