"""The notebooks run top to bottom, in order: several share a run folder."""

import shutil
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from tests.support.paths import ROOT

NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What notebooks read, so that what they write beside it does not lie in the repository."""
    folder = tmp_path_factory.mktemp("checkout")
    shutil.copytree(ROOT / "notebooks", folder / "notebooks")
    for name in ("examples", "benchmarks", "tests"):
        (folder / name).symlink_to(ROOT / name)
    return folder


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_runs(checkout: Path, path: Path):
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(notebook, timeout=1800, resources={"metadata": {"path": str(checkout / "notebooks")}}).execute()
