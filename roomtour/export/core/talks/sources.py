"""The kinds of data whose rows are questions and answers about pictures: one row each."""

from __future__ import annotations

from roomtour.export.core.talks.dialogues import DialogueTalks
from roomtour.export.core.talks.questions import ProgramTalks, SpatialTalks
from roomtour.export.core.talks.regions import RegionTalks
from roomtour.export.core.talks.talk import TalkSource
from roomtour.kinds import KINDS

SOURCES: tuple[type[TalkSource], ...] = (SpatialTalks, ProgramTalks, RegionTalks, DialogueTalks)
"""In the order of the kinds. Formats that hold talks hold all of these."""
TALK_KINDS = tuple(source.kind for source in SOURCES)
TALK_ROWS = tuple(kind.rows for kind in KINDS if kind.name in TALK_KINDS)
"""What their rows are called."""
