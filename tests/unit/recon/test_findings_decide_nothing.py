"""Messages are made from verdicts at the end: nothing in recon reads what a finding says to decide anything."""

import ast

import pytest

from tests.support.paths import ROOT

READ = {"code", "where", "message", "severity"}
ARRAYS = {"np", "numpy"}
"""Whose `where` chooses between arrays."""


def find_reads(source: str) -> list[int]:
    """Lines that read such a field of anything."""
    return [
        node.lineno
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Attribute)
        and node.attr in READ
        and isinstance(node.ctx, ast.Load)
        and not (isinstance(node.value, ast.Name) and node.value.id in ARRAYS)
    ]


@pytest.mark.parametrize(
    ("source", "reads"),
    [
        ("if finding.code == 'sfm.no_model': pass", [1]),
        ("kept = [one for one in findings if one.where in mended]", [1]),
        ("np.where(found, 1, 0)", []),
        ("Finding('info', code, where, message)", []),
    ],
)
def test_a_read_is_found(source, reads):
    assert find_reads(source) == reads


def test_nothing_in_recon_reads_a_finding():
    files = sorted((ROOT / "recon").rglob("*.py"))
    assert len(files) > 80
    reads = {
        f"{path.relative_to(ROOT)}:{line}"
        for path in files
        if path != ROOT / "recon" / "findings.py"
        for line in find_reads(path.read_text(encoding="utf-8"))
    }
    assert reads == set()
