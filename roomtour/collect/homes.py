"""Videos that show one home, by title or by pictures: they belong into one split of a dataset.

Vectors of pictures say which videos look alike. Rooms of one style do too, so that alone joins nothing: two videos show
one home if some of their most alike pictures share points as only pictures of one place do.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256

import cv2
import numpy as np
from numpy.typing import NDArray

from roomtour.collect.records import Candidate

_STREETS = (
    "alley|avenue|ave|boulevard|blvd|circle|cir|close|court|ct|crescent|cres|drive|dr|gardens|grove|hill|highway|hwy|"
    "lane|ln|loop|mews|parkway|pkwy|place|pl|quay|road|rd|row|square|sq|street|st|terrace|ter|trail|trl|walk|way"
)
_NUMBER_FIRST = re.compile(
    rf"\b(?P<number>\d{{1,5}}[a-z]?)\s+(?P<name>(?:[\w'’.-]+\s+){{1,4}}?)(?P<street>{_STREETS})\b", re.IGNORECASE
)
"""`12 Elm Street`, `1400 North Lake Shore Dr`."""
_ROAD_FIRST = re.compile(
    r"\b(?:(?P<road>rue|avenue|boulevard|calle|via|viale|plaza)\s+(?P<tail>(?:[\w'’-]+\s+){0,3}?[\w'’-]+)"
    r"|(?P<joined>[^\W\d]{2,}(?:straße|strasse|str\.|weg|gasse|platz|allee|straat|gatan)))"
    r",?\s+(?P<number>\d{1,5}[a-z]?)\b",
    re.IGNORECASE,
)
"""`Lindenstraße 12`, `Via Roma 4`."""
_NO_STREET = re.compile(
    r"\b(bed|bath|room|stor(?:y|ey|ies)|house|home|flat|apartment|condo|villa|mansion|tour|minute|million|best|most|new)",
    re.IGNORECASE,
)
"""Words that stand between a number and a word such as `way` where no street is meant: `3 bedroom house walk`."""
_SHORT = {
    "ave": "avenue", "blvd": "boulevard", "cir": "circle", "ct": "court", "cres": "crescent", "dr": "drive",
    "hwy": "highway", "ln": "lane", "pkwy": "parkway", "pl": "place", "rd": "road", "sq": "square", "st": "street",
    "ter": "terrace", "trl": "trail",
}  # fmt: skip


def name_home(candidate: Candidate) -> str:
    """The home that the list names; else one by the address in the title and who published it, if both are known.

    An address is personal data, so the name is a digest of it.
    """
    where, who = find_address(candidate.title), candidate.channel or candidate.author
    if candidate.home or not (where and who):
        return candidate.home
    return f"home-{sha256(f'{who.casefold()} {where}'.encode()).hexdigest()[:12]}"


def with_home(candidate: Candidate) -> Candidate:
    """The video with the name of its home, and what says so."""
    home = name_home(candidate)
    source = candidate.home_source or ("list" if candidate.home else "title" if home else "")
    return replace(candidate, home=home, home_source=source)


def find_address(title: str) -> str:
    """House number and street in a title, in one spelling; empty if it gives none."""
    match = next((address for address in _NUMBER_FIRST.finditer(title) if not _NO_STREET.search(address["name"])), None)
    if match is not None:
        street = match["street"].casefold()
        return f"{match['number']} {_tidy(match['name'])} {_SHORT.get(street, street)}".casefold()
    match = _ROAD_FIRST.search(title)
    if match is None:
        return ""
    road = (match["joined"] or f"{match['road']} {_tidy(match['tail'])}").casefold()
    return f"{match['number']} {re.sub(r'str[.]$', 'strasse', road)}".casefold()


def _tidy(words: str) -> str:
    return " ".join(words.replace(".", " ").split())


_BEST = 5
"""Of the likenesses of the pictures of one video to the most alike of the other, so many of the largest count."""
_NEAREST = 5
"""Videos that each is compared with, picture by picture: those most like it."""
_PAIRS, _BESIDE = 4, 1
"""Pairs of pictures that are compared, and how many neighbours of one of them are left out then."""

Vectors = NDArray[np.float32]  # (pictures, numbers), rows of length 1
Pair = tuple[str, str]


def name_homes_by_pictures(candidates: Sequence[Candidate], groups: Sequence[Sequence[str]]) -> list[Candidate]:
    """The videos, in their order, each of a group with the home that one of it has, or with a new name.

    Args:
        candidates: Videos that were kept.
        groups: Ids of videos of one home, as `group_homes` finds them.
    """
    known = {candidate.id: candidate for candidate in candidates}
    for group in groups:
        named = next((known[name].home for name in group if known[name].home), "")
        home = named or f"home-{sha256(' '.join(group).encode()).hexdigest()[:12]}"
        for name in group:
            if not known[name].home:
                known[name] = replace(known[name], home=home, home_source="pictures")
    return [known[candidate.id] for candidate in candidates]


def without_guess(candidate: Candidate) -> Candidate:
    """The video without a home that was named by pictures: other bars may name another."""
    return replace(candidate, home="", home_source="") if candidate.home_source == "pictures" else candidate


def list_alike(vectors: Mapping[str, Vectors], least: float) -> list[Pair]:
    """Pairs of videos worth comparing picture by picture, most alike first: each with those most like it.

    Args:
        vectors: Of their pictures, by id.
        least: See `CollectOptions.same_home`.
    """
    names = [name for name, rows in vectors.items() if len(rows) >= _BEST]
    alike: dict[str, list[tuple[float, str]]] = {name: [] for name in names}
    for place, video in enumerate(names):
        for other in names[:place]:
            score = measure_likeness(vectors[video], vectors[other])
            if score >= least:
                alike[video].append((-score, other))
                alike[other].append((-score, video))
    pairs = {
        (score, *sorted((name, other))) for name, near in alike.items() for score, other in sorted(near)[:_NEAREST]
    }
    return [(name, other) for _, name, other in sorted(pairs)]


def group_homes(
    pairs: Sequence[Pair], homes: Mapping[str, str], count_points: Callable[[str, str], int], least_points: float
) -> list[tuple[str, ...]]:
    """Groups of videos that show one home. Two whose homes have different names are never joined.

    Args:
        pairs: Videos that look alike, most alike first.
        homes: That are known; empty for others.
        count_points: Points that the two share, in the pair of pictures that shares most.
        least_points: So many show one place.
    """
    group_of: dict[str, frozenset[str]] = {name: frozenset([name]) for pair in pairs for name in pair}
    for one_video, other_video in pairs:
        first, second = group_of[one_video], group_of[other_video]
        named = {homes[name] for name in first | second if homes.get(name)}
        if first is second or len(named) > 1 or count_points(one_video, other_video) < least_points:
            continue
        joined = first | second
        group_of |= dict.fromkeys(joined, joined)
    return sorted({tuple(sorted(group)) for group in group_of.values() if len(group) > 1})


def measure_likeness(first: Vectors, second: Vectors) -> float:
    """How much two videos look alike where they do most: the median of the best matches of the pictures of each."""
    cosines = first @ second.T
    best = [np.sort(cosines.max(axis=axis))[-_BEST:] for axis in (0, 1)]
    return float(np.median(np.concatenate(best)))


def pick_pictures(vectors: Vectors, other: Vectors) -> list[tuple[int, int]]:
    """The pictures of two videos that look most alike, as places in each; neighbours of those that were picked are not
    picked too.
    """
    cosines, picked = (vectors @ other.T).copy(), []
    while len(picked) < _PAIRS and cosines.max(initial=-1.0) > -1.0:
        i, j = (int(place) for place in np.unravel_index(cosines.argmax(), cosines.shape))
        picked.append((i, j))
        cosines[max(0, i - _BESIDE) : i + _BESIDE + 1, max(0, j - _BESIDE) : j + _BESIDE + 1] = -1.0
    return picked


_POINTS, _RATIO = 1200, 0.85
"""Strongest points of a picture, and how much nearer the nearest match has to be than the next."""
_LEAST, _ERROR_PX = 8, 1.5
"""Matches that fix how the camera moved, and how far others may be off it."""


@dataclass(frozen=True)
class PicturePoints:
    """Points of one picture and what they look like."""

    at_px: NDArray[np.float32]  # (n, 2)
    look: NDArray[np.float32]  # (n, 128), rows of length 1


def find_points(gray: NDArray[np.uint8]) -> PicturePoints:
    """The strongest points of a picture."""
    points, look = cv2.SIFT.create(_POINTS).detectAndCompute(gray, None)
    if look is None:
        return PicturePoints(np.zeros((0, 2), np.float32), np.zeros((0, 128), np.float32))
    rooted = np.sqrt(look / np.maximum(look.sum(axis=1, keepdims=True), 1e-9))
    return PicturePoints(np.array([point.pt for point in points], np.float32), rooted.astype(np.float32))


def count_common(first: PicturePoints, second: PicturePoints) -> int:
    """Points that both pictures show, where one movement of the camera explains them; about a dozen by chance."""
    if min(len(first.at_px), len(second.at_px)) < _LEAST:
        return 0
    cosines = first.look @ second.look.T
    there, back = cosines.argmax(axis=1), cosines.argmax(axis=0)
    mutual = np.flatnonzero(back[there] == np.arange(len(there)))
    nearest = np.sqrt(np.maximum(2 - 2 * np.sort(cosines[mutual], axis=1)[:, -2:], 0.0))
    kept = mutual[nearest[:, 1] < _RATIO * nearest[:, 0]]
    if len(kept) < _LEAST:
        return 0
    cv2.setRNGSeed(0)
    _, is_explained = cv2.findFundamentalMat(
        first.at_px[kept], second.at_px[there[kept]], cv2.USAC_MAGSAC, _ERROR_PX, 0.999, 2000
    )
    return 0 if is_explained is None else int(is_explained.sum())
