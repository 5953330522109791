"""`roomtour browse`: the rows of a dataset or of a run, on a page."""

from __future__ import annotations

from pathlib import Path

import tyro

from roomtour.cli.console import tell


def browse(path: tyro.conf.Positional[Path], /, out: Path | None = None) -> int:
    """Write a page on which to leaf through rows: pictures, texts, filters, and why rows were rejected.

    One offline file; pictures are shown from where they lie. Pictures inside of tables, point clouds and what was
    processed to be hidden get pictures of their own in a folder beside the page.

    Args:
        path: A folder made by `roomtour export` from rows of text, or a run folder.
        out: The page; `PATH.browse.html`, beside the folder, if not given.
    """
    from roomtour.browse.page import write_page

    page, told = write_page(path, out)
    tell(f"{told} -> {page}")
    return 0
