"""Build SVG so that text cannot become markup: whatever is not `Markup` is escaped where it enters."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from markupsafe import Markup, escape

_NAME = re.compile(r"(?!(?i:on))[a-zA-Z][a-zA-Z0-9-]*")
"""Event handlers (`on...`) are no marks of a drawing."""

Child = Markup | str | int | None | Iterable["Child"]


def element(name: str, /, *children: Child, **attributes: str | float | None) -> Markup:
    """One element.

    Args:
        name: Element name.
        children: Text (escaped), Markup (kept), numbers, or lists of them; None is left out.
        attributes: Values are escaped, None is left out. A trailing `_` is cut and other `_` become `-`, so `class_`
            and `aria_label` work.

    Raises:
        ValueError: For a name that is no element or attribute name, or an event handler.
    """
    given = {key.rstrip("_").replace("_", "-"): value for key, value in attributes.items() if value is not None}
    for known in (name, *given):
        if not _NAME.fullmatch(known):
            raise ValueError(f"{known!r} is no name of an element or attribute to draw with")
    head = "".join(
        f' {key}="{escape(value if isinstance(value, str) else number(value, 2))}"' for key, value in given.items()
    )
    return Markup(f"<{name}{head}>{join(children)}</{name}>")


def join(children: Iterable[Child]) -> Markup:
    """Children after one another; text is escaped, Markup kept, None left out."""
    return Markup("").join(_flat(children))


def number(value: float, digits: int = 1) -> str:
    """A coordinate: short, and never in exponents."""
    text = f"{value:.{digits}f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text == "-0" else text


def _flat(children: Iterable[Child]) -> Iterator[str]:
    for child in children:
        if isinstance(child, str | int):
            yield child if isinstance(child, str) else str(child)
        elif child is not None:
            yield from _flat(child)
