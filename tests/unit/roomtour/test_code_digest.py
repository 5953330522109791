"""Results are named by the code that can decide them."""

import shutil
from functools import cache
from pathlib import Path

import pytest

from roomtour.stages.code import PACKAGES, CodeTree, list_imports
from roomtour.stages.table import STAGES
from tests.support.paths import ROOT


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    top = tmp_path_factory.mktemp("code")
    for package in PACKAGES:
        shutil.copytree(ROOT / package, top / package, ignore=shutil.ignore_patterns("__pycache__"))
    return top


@cache
def digests_of_this_code() -> dict[str, str]:
    return digests(ROOT)


def digests(top: Path) -> dict[str, str]:
    tree = CodeTree(top)
    return {stage.name: tree.digest(*stage.modules) for stage in STAGES}


def changed_by(copy: Path, name: str, before: str, after: str) -> set[str]:
    """Stages whose digest is another while one file of the copy says something else."""
    path, whole = copy / name, digests_of_this_code()
    text = path.read_text(encoding="utf-8")
    assert before in text
    path.write_text(text.replace(before, after, 1), encoding="utf-8")
    now = digests(copy)
    path.write_text(text, encoding="utf-8")
    return {stage for stage in whole if whole[stage] != now[stage]}


def test_a_change_of_code_is_one_of_all_stages_that_reach_it_and_of_no_other(copy: Path):
    assert digests(copy) == digests_of_this_code()
    merging = changed_by(copy, "recon/merging/join.py", "_GROWTH_REACH = 20", "_GROWTH_REACH = 21")
    assert "merge" in merging
    assert not merging & {"sample", "features", "sfm", "trajectories", "navigation"}
    geometry = changed_by(copy, "recon/geometry.py", "def ", "def new_")
    assert geometry == {stage.name for stage in STAGES}
    assert changed_by(copy, "roomtour/report/page.py", "def ", "def new_") == {"report"}
    assert changed_by(copy, "roomtour/cli/app.py", "def ", "def new_") == set()


def test_prompts_and_word_lists_count(copy: Path):
    for folder, stage in (("navigation/prompts", "navigation"), ("dialogues/pools", "dialogues")):
        path = next(path for path in sorted((ROOT / "instructions" / folder).glob("*.t*")))
        name = path.relative_to(ROOT).as_posix()
        assert changed_by(copy, name, path.read_text("utf-8")[:3], "???") >= {stage}


def test_every_way_to_import_is_read():
    source = (
        "import recon.video\nfrom recon import (\n    a,  # why\n    b as c,\n)\n"
        "if x:\n    from roomtour.x import y\nread('recon.z')\n"
    )
    found = ["recon.video", "recon", "recon.a", "recon.b", "roomtour.x", "roomtour.x.y", "recon.z"]
    assert list(list_imports(source)) == found
