"""Tasks that workers import by name."""

import os
import time
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Add:
    amount: int

    def __call__(self, item):
        return item + self.amount


@dataclass(frozen=True)
class Touch:
    """Waits so many seconds, then leaves a file."""

    folder: Path

    def __call__(self, seconds):
        time.sleep(seconds)
        (self.folder / str(seconds)).touch()
        return seconds


@dataclass(frozen=True)
class FailOrTouch:
    """Item 1 fails at once; others leave a file a while later."""

    folder: Path

    def __call__(self, item):
        fail_at(item)
        time.sleep(1.0)
        (self.folder / str(item)).touch()


def process_id(_):
    time.sleep(0.05)
    return os.getpid()


def sleep_and_tell(seconds):
    time.sleep(seconds)
    return seconds


def fail_at(item):
    if item == 1:
        raise ValueError(f"item {item} of no use")
    return item


def count_threads(_):
    import cv2
    import numpy as np
    from threadpoolctl import threadpool_info

    np.linalg.norm(np.ones((4, 4)) @ np.ones((4, 4)))
    return cv2.getNumThreads(), max(each["num_threads"] for each in threadpool_info())


def die(item):
    os._exit(3)
