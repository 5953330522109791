"""The scorers by name: a module and a row each."""

from __future__ import annotations

from roomtour.scoring import dialogues, programs, regions, spatial
from roomtour.scoring.records import Scorer

SCORERS: tuple[Scorer, ...] = (spatial.SCORER, programs.SCORER, dialogues.SCORER, regions.SCORER)
