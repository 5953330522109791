"""Lengths with their trust: metres only where the scale has them, and `assumed` written beside each that is."""

from __future__ import annotations

from recon.records import Scale
from roomtour.drawing.markup import Markup, join, tag


def length(value: float, scale: Scale, digits: int = 1) -> Markup:
    """A length in the model's unit; an assumed scale is marked, a relative one gives units of the model."""
    if scale.status == "relative":
        return join([f"{value:.{digits}f} units"])
    text = join([f"{value:.{digits}f}\u00a0m"])
    return join([text, " ", assumed_mark(scale)]) if scale.status == "assumed" else text


def scale_factor(scale: Scale) -> Markup:
    """Metres per unit of the reconstruction with its relative standard deviation."""
    if scale.status == "relative":
        return join(["none (relative)"])
    text = f"{scale.factor:.3g} ± {scale.sigma * 100:.0f}\u00a0%"
    return join([text, " ", assumed_mark(scale)]) if scale.status == "assumed" else join([text])


def assumed_mark(scale: Scale) -> Markup:
    """The word that stands beside every assumed metre; hovering shows what was assumed."""
    return tag("span", "assumed", class_="assumed", title=scale.source)
