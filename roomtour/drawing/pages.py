"""Pages and their parts from templates: every value is escaped where it enters, and a name nobody set is an error."""

from __future__ import annotations

import base64
from hashlib import sha256
from importlib.resources import files

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup

from recon.numerals import count, format_measured, percent
from roomtour.drawing import text
from roomtour.drawing.colors import object_color, text_on

_POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"
"""The browser then refuses scripts and requests even if something slipped through the escaping."""


def render(template: str, /, **values: object) -> Markup:
    """Fill in a template.

    Args:
        template: `ROOM/FILE`, which lies in `roomtour/ROOM/templates/`.
        values: By the names that the template uses.

    Raises:
        jinja2.UndefinedError: If the template uses a name that is not among them.
    """
    return Markup(_ENVIRONMENT.get_template(template).render(values))


def read_asset(name: str) -> Markup:
    """A style or script of ours, `ROOM/FILE`, to stand in a page as it is."""
    return Markup(files("roomtour").joinpath(name).read_text(encoding="utf-8"))


def _read_template(name: str) -> str:
    room, _, file = name.partition("/")
    return files("roomtour").joinpath(room, "templates", file).read_text(encoding="utf-8")


def _policy(script: str, has_files: bool = False) -> str:
    """The policy of a page: it names the hash of the page's own script, so no other runs.

    Args:
        script: Of the page.
        has_files: Its pictures and videos are files beside it, which for some browsers are no part of `'self'`.
    """
    if has_files:
        return _policy(script).replace("img-src data:", "img-src 'self' file: data:; media-src 'self' file:")
    if not script:
        return _POLICY
    return f"{_POLICY}; script-src 'sha256-{base64.b64encode(sha256(script.encode()).digest()).decode()}'"


_ENVIRONMENT = Environment(
    loader=FunctionLoader(_read_template),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_ENVIRONMENT.filters.update(
    clock=text.clock,
    count=count,
    duration=text.duration,
    measured=format_measured,
    percent=percent,
    printable=text.printable,
)
_ENVIRONMENT.globals.update(asset=read_asset, object_color=object_color, policy=_policy, text_on=text_on)
