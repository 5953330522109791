"""Build HTML and SVG so that text cannot become markup: whatever is not `Markup` is escaped where it enters."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape

_NAME = re.compile(r"[a-zA-Z][a-zA-Z0-9:-]*")
_VOID = frozenset({"br", "hr", "img", "input", "link", "meta"})


class Markup(str):
    """HTML that was built here. Data is never wrapped in it."""

    __slots__ = ()


Child = Markup | str | int | None | Iterable["Child"]


def tag(name: str, /, *children: Child, **attributes: str | float | bool | None) -> Markup:
    """One element.

    Args:
        name: Element name.
        children: Text (escaped), Markup (kept), numbers, or lists of them; None is left out.
        attributes: Values are escaped. A trailing `_` is cut and other `_` become `-`, so `class_` and `aria_label`
            work. True gives a bare attribute; None and False leave it out.

    Raises:
        ValueError: For a name that is no element or attribute name, an event handler (`on...`), or children in an
            element that has none.
    """
    if not _NAME.fullmatch(name):
        raise ValueError(f"{name!r} is no element name")
    head = "".join(_attribute(key, value) for key, value in attributes.items())
    if name in _VOID:
        if children:
            raise ValueError(f"<{name}> takes no children")
        return Markup(f"<{name}{head}>")
    return Markup(f"<{name}{head}>{join(children)}</{name}>")


def join(children: Iterable[Child]) -> Markup:
    """Children after one another; text is escaped, Markup kept, None left out."""
    return Markup("".join(_child(child) for child in children))


def number(value: float, digits: int = 1) -> str:
    """A coordinate for SVG: short, and never in exponents."""
    text = f"{value:.{digits}f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text == "-0" else text


def _child(child: Child) -> str:
    if child is None:
        return ""
    if isinstance(child, Markup):
        return child
    if isinstance(child, str | int | float):
        return escape(str(child), quote=True)
    return join(child)


def _attribute(key: str, value: str | float | bool | None) -> str:
    if value is None or value is False:
        return ""
    name = key.rstrip("_").replace("_", "-")
    if not _NAME.fullmatch(name) or name.lower().startswith("on"):
        raise ValueError(f"{name!r} is no attribute to write")
    if value is True:
        return f" {name}"
    text = value if isinstance(value, str) else number(value, 2)
    return f' {name}="{escape(text, quote=True)}"'
