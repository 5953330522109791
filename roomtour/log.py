"""The run's own log: one JSON object per line in RUN/log.jsonl, for data engineers who cannot watch."""

from __future__ import annotations

from pathlib import Path
from typing import TextIO

import structlog
from structlog.typing import FilteringBoundLogger


def open_log(path: Path) -> tuple[FilteringBoundLogger, TextIO]:
    """Open (append to) a log file; the caller closes the second value."""
    file = path.open("a", encoding="utf-8", buffering=1)
    logger = structlog.wrap_logger(
        structlog.WriteLogger(file),
        processors=[
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.add_log_level,
            structlog.processors.JSONRenderer(),
        ],
        wrapper_class=structlog.make_filtering_bound_logger("info"),
    )
    return logger, file
