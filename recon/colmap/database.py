"""Open, write and read COLMAP's database with our numbering: image id = frame id = frame number, one camera."""

from __future__ import annotations

import random
import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pycolmap

from recon.geometry import Array, Camera
from recon.records import Frame

CAMERA_ID = 1  # of the one camera of a tour, and of the rig around it that COLMAP asks for


@contextmanager
def open_database(path: Path) -> Iterator[pycolmap.Database]:
    """An open database, made if there is none.

    Opening writes (COLMAP checks its tables and sets SQLite's modes), and fails at once while another process does the
    same: "No registered database factory succeeded". Of openings by six processes a fifth failed; so it is tried again.
    """
    database = _open(path)
    try:
        yield database
    finally:
        database.close()


def _open(path: Path) -> pycolmap.Database:
    for _ in range(_ATTEMPTS - 1):
        try:
            return pycolmap.Database.open(path)
        except RuntimeError:
            if not path.is_file():
                raise
            time.sleep(random.uniform(0.5, 1.5) * _PAUSE_S)
    return pycolmap.Database.open(path)


_ATTEMPTS = 200  # two seconds in all: an opening takes milliseconds
_PAUSE_S = 0.01  # uneven, so that two who met do not meet again


def write_tour(database: pycolmap.Database, camera: Camera, frames: Sequence[Frame], has_prior_focal: bool) -> None:
    """Write the shared camera, its rig, and one image per frame under the frame's own number."""
    shared = camera.to_colmap(CAMERA_ID)
    shared.has_prior_focal_length = has_prior_focal
    rig = pycolmap.Rig(rig_id=CAMERA_ID)
    rig.add_ref_sensor(shared.sensor_id)
    with pycolmap.DatabaseTransaction(database):
        database.write_camera(shared, use_camera_id=True)
        database.write_rig(rig, use_rig_id=True)
        for frame in frames:
            image = pycolmap.Image(name=frame.image, camera_id=CAMERA_ID, image_id=frame.index)
            image.frame_id = frame.index
            moment = pycolmap.Frame(frame_id=frame.index, rig_id=CAMERA_ID)
            moment.add_data_id(image.data_id)
            database.write_frame(moment, use_frame_id=True)
            database.write_image(image, use_image_id=True)


def list_verified_pairs(
    database: pycolmap.Database, among: Collection[int] | None = None, reach: int | None = None
) -> list[tuple[int, int, int]]:
    """Verified pairs of frames, the lower one first, sorted, and how many matches each has.

    Only pairs with both frames `among` some, and at most `reach` apart in number, if these are given.
    """
    ids, counts = database.read_two_view_geometry_num_inliers()
    frames = None if among is None else frozenset(among)
    pairs = ((*pycolmap.pair_id_to_image_pair(pair), count) for pair, count in zip(ids, counts, strict=True))
    return sorted(
        (first, second, count)
        for first, second, count in pairs
        if (frames is None or (first in frames and second in frames)) and (reach is None or second - first <= reach)
    )


def read_matches_px(database: pycolmap.Database, first: int, second: int) -> tuple[Array, Array]:
    """The verified matches of two frames in pixels, (M, 2) each."""
    matches = database.read_two_view_geometry(first, second).inlier_matches
    one, other = (np.asarray(database.read_keypoints(frame), np.float64)[:, :2] for frame in (first, second))
    return one[matches[:, 0]], other[matches[:, 1]]


def load_cache(database_path: Path, frames: Collection[int]) -> pycolmap.DatabaseCache:
    """Features and verified matches of some frames."""
    wanted = set(frames)
    with open_database(database_path) as database:
        names = {image.name for image in database.read_all_images() if image.image_id in wanted}
        choice = pycolmap.DatabaseCacheOptions(min_num_matches=1, image_names=names, load_all_images=True)
        return pycolmap.DatabaseCache.create(database, choice)


def copy_part(database_path: Path, frames: Collection[int], part_path: Path, *, descriptors: bool = False) -> None:
    """Write a new database with what mapping needs of some frames: keypoints and verified matches.

    Refining finds more matches and reads `descriptors` too; with them, the part does for a clip what the whole does.

    COLMAP's mappers open a database by its path whenever they like, and those of several clips run at once; each with a
    database of its own, they cannot meet.
    """
    wanted = set(frames)
    with open_database(database_path) as database, open_database(part_path) as part, pycolmap.DatabaseTransaction(part):
        part.write_camera(database.read_camera(CAMERA_ID), use_camera_id=True)
        part.write_rig(database.read_rig(CAMERA_ID), use_rig_id=True)
        for frame in sorted(wanted):
            part.write_frame(database.read_frame(frame), use_frame_id=True)
            part.write_image(database.read_image(frame), use_image_id=True)
            part.write_keypoints(frame, database.read_keypoints(frame))
            if descriptors:
                part.write_descriptors(frame, database.read_descriptors(frame))
        for first, second, _ in list_verified_pairs(database, wanted):
            part.write_two_view_geometry(first, second, database.read_two_view_geometry(first, second))
