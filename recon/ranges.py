"""Ranges of options, as types: `max_error_px: Positive = 2.0`.

Whoever reads options from outside (the command line, YAML, a caller of the pipeline) checks them by these types before
anything runs; `roomtour options` shows them. None lets NaN or infinity through, since each has an upper end: where it
is `MOST` it stands for "more than any tour needs" and only keeps nonsense from reaching COLMAP, which takes 32 bits.
"""

from __future__ import annotations

from typing import Annotated

from annotated_types import Ge, Gt, Le

MOST = 1_000_000  # more than any tour needs

Count = Annotated[int, Ge(0), Le(1_000_000)]  # how many; none is a number
AtLeastOne = Annotated[int, Ge(1), Le(1_000_000)]  # how many; none makes no sense
Share = Annotated[float, Ge(0), Le(1)]  # part of a whole, or a cosine or probability that cannot be negative
Positive = Annotated[float, Gt(0), Le(1_000_000)]
Pixels = Annotated[float, Ge(0.1), Le(10_000)]
"""An error or a distance in a picture. Below a tenth of a pixel no two views agree, and COLMAP draws samples for
minutes: at 0.1 for ten times as long as at 0.5."""
Metres = Annotated[float, Ge(0.001), Le(1_000_000)]
"""A length in a metric world. Nothing in a film is known to a millimetre."""
Step = Annotated[float, Ge(0.01), Le(1_000_000)]
"""A length in metres that space or a way is divided by, whose number grows with what is small."""
Seconds = Annotated[float, Ge(0.001), Le(1_000_000)]  # a time that a tour is divided by or looked at in
Rounds = Annotated[int, Ge(0), Le(100)]  # how often work is repeated that takes as long each time
NotNegative = Annotated[float, Ge(0), Le(1_000_000)]
HalfTurn = Annotated[float, Ge(0), Le(180)]  # an angle between two directions, in degrees
Seed = Annotated[int, Ge(0), Le(2_147_483_647)]  # COLMAP keeps seeds in 32 bits with a sign
ClockShift = Annotated[float, Ge(-10_000_000_000), Le(10_000_000_000)]
"""From one clock to another, in seconds. Clocks that count from 1970 stand at 1.8 billion."""
Number = Annotated[float, Ge(-1_000_000), Le(1_000_000)]  # of either sign, but finite
