"""Which home a video shows, where its title gives an address: videos of one home belong into one split."""

from __future__ import annotations

import re
from dataclasses import replace
from hashlib import sha256

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
    "ave": "avenue",
    "blvd": "boulevard",
    "cir": "circle",
    "ct": "court",
    "cres": "crescent",
    "dr": "drive",
    "hwy": "highway",
    "ln": "lane",
    "pkwy": "parkway",
    "pl": "place",
    "rd": "road",
    "sq": "square",
    "st": "street",
    "ter": "terrace",
    "trl": "trail",
}


def name_home(one: Candidate) -> str:
    """The home that the list names; else one by the address in the title and who published it, if both are known.

    An address is personal data, so the name is a digest of it.
    """
    where, who = find_address(one.title), one.channel or one.author
    if one.home or not (where and who):
        return one.home
    return f"home-{sha256(f'{who.casefold()} {where}'.encode()).hexdigest()[:12]}"


def with_home(one: Candidate) -> Candidate:
    """The video with the name of its home, and what says so."""
    home = name_home(one)
    source = one.home_source or ("list" if one.home else "title" if home else "")
    return replace(one, home=home, home_source=source)


def find_address(title: str) -> str:
    """House number and street in a title, in one spelling; empty if it gives none."""
    found = next((one for one in _NUMBER_FIRST.finditer(title) if not _NO_STREET.search(one["name"])), None)
    if found is not None:
        street = found["street"].casefold()
        return f"{found['number']} {_tidy(found['name'])} {_SHORT.get(street, street)}".casefold()
    found = _ROAD_FIRST.search(title)
    if found is None:
        return ""
    road = (found["joined"] or f"{found['road']} {_tidy(found['tail'])}").casefold()
    return f"{found['number']} {re.sub(r'str[.]$', 'strasse', road)}".casefold()


def _tidy(words: str) -> str:
    return " ".join(words.replace(".", " ").split())
