"""Called by mkdocs for every page: puts in what is generated from the code."""

from __future__ import annotations

import sys
from pathlib import Path

from mkdocs.structure.pages import Page

sys.path.insert(0, str(Path(__file__).parents[2]))  # mkdocs loads this file alone

from docs.generate.pages import fill, mark_findings


def on_page_markdown(markdown: str, page: Page, **_: object) -> str:
    """Called with the text of a page as it is in its file; returns the text to show."""
    filled = fill(markdown)
    return mark_findings(filled) if page.file.src_uri == "findings.md" else filled
