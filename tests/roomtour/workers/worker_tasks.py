"""Tasks that workers import by name."""

import os
import time
from dataclasses import dataclass


@dataclass(frozen=True)
class Add:
    amount: int

    def __call__(self, item):
        return item + self.amount


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
