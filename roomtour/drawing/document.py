"""The frame of every page: one file with its style and script, which asks nothing of any other host."""

from __future__ import annotations

import base64
from hashlib import sha256
from importlib.resources import files

from roomtour.drawing.markup import Markup, tag

_POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"
"""The browser then refuses scripts and requests even if something slipped through the escaping."""


def document(title: str, body: Markup, script: str = "") -> str:
    """A whole page.

    Args:
        title: Of the window; escaped.
        body: What the page shows.
        script: Name of a script file beside this one. The page's policy names its hash, so no other script runs.
    """
    code = _read(script) if script else ""
    policy = _POLICY + (f"; script-src 'sha256-{_hash(code)}'" if code else "")
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=policy),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("title", title),
        tag("style", Markup(_read("style.css"))),
    )
    end = tag("script", Markup(code)) if code else None
    return f'<!doctype html>\n<html lang="en">{head}{tag("body", body, end)}</html>\n'


def _read(name: str) -> str:
    return files("roomtour.drawing").joinpath(name).read_text(encoding="utf-8")


def _hash(code: str) -> str:
    return base64.b64encode(sha256(code.encode("utf-8")).digest()).decode("ascii")
