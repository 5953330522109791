"""Rooms along a walk."""

from __future__ import annotations

from collections.abc import Sequence

from instructions.records import RoomSpan


def room_at(rooms: Sequence[RoomSpan], frame: int) -> str | None:
    """Room of a frame; None where nobody knows."""
    return next((span.room for span in rooms if span.first_frame <= frame <= span.last_frame), None)


def find_stays(rooms: Sequence[RoomSpan], frames: Sequence[int]) -> tuple[tuple[str, int, int], ...]:
    """Rooms in the order that frames are in them: room, and first and last place in `frames` of each stay.

    Frames without a known room end no stay.
    """
    out: list[tuple[str, int, int]] = []
    for at, frame in enumerate(frames):
        room = room_at(rooms, frame)
        if room is None:
            continue
        if out and out[-1][0] == room:
            out[-1] = (room, out[-1][1], at)
        else:
            out.append((room, at, at))
    return tuple(out)
