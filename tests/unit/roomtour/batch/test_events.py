"""What a child tells while it works is told on once, in order, and never by half."""

from __future__ import annotations

from roomtour.progress import EventFile, Silent, replay_events


class Heard(Silent):
    """Remembers what it was told."""

    def __init__(self) -> None:
        self.told: list[str] = []

    def stage_started(self, title: str) -> None:
        self.told.append(f"starts {title}")

    def stage_done(self, title: str, seconds: float, kept: bool, counts: str) -> None:
        self.told.append(f"ends {title}{' kept' * kept}")


def test_events_are_told_once_and_half_a_line_waits(tmp_path):
    path, heard, seen = tmp_path / "events.jsonl", Heard(), set[str]()
    assert replay_events(path, 0, heard, seen) == 0
    events = EventFile(path)
    events.stage_started("a")
    at = replay_events(path, 0, heard, seen)
    events.stage_done("a", 1.0, False, "3 things")
    whole = path.read_bytes()
    path.write_bytes(whole[:-5])
    assert replay_events(path, at, heard, seen) == at
    path.write_bytes(whole)
    at = replay_events(path, at, heard, seen)
    assert heard.told == ["starts a", "ends a"]
    events.stage_started("a")  # a later phase, which keeps it
    events.stage_done("a", 0.0, True, "3 things")
    events.stage_started("b")
    replay_events(path, at, heard, seen)
    assert heard.told == ["starts a", "ends a", "starts b"]
