import os
import sys
from pathlib import Path

import pytest


@pytest.fixture(autouse=True, scope="session")
def tasks_can_be_imported():
    """By workers too, which get this process's `sys.path`."""
    folder = str(Path(__file__).parent)
    if folder not in sys.path:
        sys.path.insert(0, folder)
    os.environ.setdefault("PYTHONDONTWRITEBYTECODE", "1")
