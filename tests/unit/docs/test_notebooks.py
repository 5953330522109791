"""The notebooks as files; CI runs them."""

import ast
import json
import re
from pathlib import Path

from tests.support.paths import ROOT

NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
LOGIC = (ast.FunctionDef, ast.ClassDef, ast.Lambda, ast.If, ast.While, ast.Try)


def code_of(path: Path) -> str:
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    lines = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    return re.sub(r"^%.*$", "", "\n".join(lines), flags=re.MULTILINE)


def test_the_page_lists_all_of_them_in_order():
    page = (ROOT / "docs" / "notebooks.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| `(.+?)`", page, re.MULTILINE) == [path.name for path in NOTEBOOKS]


def test_notebooks_hold_no_logic_and_no_outputs():
    for path in NOTEBOOKS:
        assert [ast.unparse(node) for node in ast.walk(ast.parse(code_of(path))) if isinstance(node, LOGIC)] == []
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        assert cells[0]["cell_type"] == "markdown"
        assert [cell["outputs"] for cell in cells if cell.get("outputs")] == []
        assert {cell["execution_count"] for cell in cells if cell["cell_type"] == "code"} == {None}
