"""Check RoomTour3D files against every rule of the reference loader."""

from __future__ import annotations

import math
import pickle
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from recon.conventions import wrap_deg
from roomtour.export.core.checking import SPLITS, is_number, is_text, parse_json
from roomtour.export.core.guided_paths import MAX_VIEWS, MIN_VIEWS
from roomtour.export.core.records import Problem, shown
from roomtour.export.core.streams import read_plain_pickle
from roomtour.export.formats.roomtour3d.features_check import check_features, wanted_of_description, wanted_of_record
from roomtour.export.formats.roomtour3d.write import GEOMETRY_FILE, MAX_IMAGES, description_file, trajectory_file

DESCRIPTION_TYPES = (
    "video_desc",
    "video_desc_roomobj",
    "video_desc_roomobj_spatial",
    "video_desc_roomloc",
    "video_desc_roomobj_target",
)
_LONG_ID = re.compile(r"([^|/]+)\|([0-9]+(?:%[0-9]+)*)")
_IMAGE_ID = re.compile(r"output_frame_([0-9]{4,})\.png")

Geometry = Mapping[str, Mapping[int, Any]]


def recognise(path: Path) -> bool:
    """Whether the folder holds a file of decision records."""
    return any((path / trajectory_file(split)).is_file() for split in SPLITS)


def check(path: Path) -> list[Problem]:
    """Every broken rule of a folder."""
    problems: list[Problem] = []
    geometry: Geometry = {}
    required = (trajectory_file("train"), description_file("train"), GEOMETRY_FILE)
    for name in required:
        if not (path / name).is_file():
            problems.append(Problem(name, None, "file", "a file", "no such file"))
    if (path / GEOMETRY_FILE).is_file():
        try:
            loaded = read_plain_pickle(path / GEOMETRY_FILE)
        except pickle.UnpicklingError as error:
            problems.append(Problem(GEOMETRY_FILE, None, "pickle", "plain dict, list, int, float and str", str(error)))
        else:
            problems += check_geometry(loaded)
            geometry = loaded if isinstance(loaded, dict) else {}
    path_ids: set[str] = set()
    question_ids: set[str] = set()
    long_ids: dict[tuple[str, str], list[Any]] = {}
    crops: dict[str, int | None] = {}
    described: dict[str, int | None] = {}
    for split in SPLITS:
        for row, record in _items(path, trajectory_file(split), problems):
            checker = _RecordChecker(trajectory_file(split), row, record, geometry)
            problems += checker.run(path_ids, long_ids)
            crops |= wanted_of_record(record)
        for row, item in _items(path, description_file(split), problems):
            problems += _check_description(description_file(split), row, item, question_ids)
            described |= wanted_of_description(item)
    return problems + check_features(path, crops, described)


def _items(folder: Path, name: str, problems: list[Problem]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Row numbers from 1 and the objects of a JSON list."""
    if not (folder / name).is_file():
        return
    try:
        loaded = parse_json((folder / name).read_text(encoding="utf-8"))
    except ValueError as error:
        problems.append(Problem(name, None, "json", "valid JSON", str(error)))
        return
    if not isinstance(loaded, list):
        problems.append(Problem(name, None, "json", "a list", type(loaded).__name__))
        return
    for row, item in enumerate(loaded, start=1):
        if isinstance(item, dict):
            yield row, item
        else:
            problems.append(Problem(name, row, "record", "an object", shown(item)))


def check_geometry(geometry: object) -> list[Problem]:
    """Check the shape and the values of the camera geometry."""
    if not isinstance(geometry, dict):
        return [Problem(GEOMETRY_FILE, None, "pickle", "a dict", type(geometry).__name__)]
    problems = []
    for colmap_id, places in geometry.items():
        if not isinstance(colmap_id, str) or not colmap_id or set("|/") & set(colmap_id):
            problems.append(Problem(GEOMETRY_FILE, shown(colmap_id), "colmapId", "a str without '|' or '/'", "it"))
        if not isinstance(places, dict):
            problems.append(Problem(GEOMETRY_FILE, str(colmap_id), "frames", "a dict", type(places).__name__))
            continue
        for frame, place in places.items():
            row = f"{colmap_id}/{frame}"
            if type(frame) is not int:
                problems.append(Problem(GEOMETRY_FILE, row, "frame", "an int", shown(frame)))
            problems += [
                Problem(GEOMETRY_FILE, row, field, expected, found) for field, expected, found in _bad_place(place)
            ]
    return problems


def _bad_place(place: object) -> Iterator[tuple[str, str, str]]:
    if not isinstance(place, dict):
        yield "place", "a dict with pos, yaw and pitch", shown(place)
        return
    position = place.get("pos")
    if not (isinstance(position, list) and len(position) == 3 and all(is_number(value) for value in position)):
        yield "pos", "3 finite numbers", shown(position)
    if not is_number(place.get("yaw")) or abs(place["yaw"]) > 360:
        yield "yaw", "finite degrees", shown(place.get("yaw"))
    if not is_number(place.get("pitch")) or abs(place["pitch"]) > 90:
        yield "pitch", "degrees from -90 to 90", shown(place.get("pitch"))


class _RecordChecker:
    """Checks one decision record."""

    def __init__(self, file: str, row: int, record: dict[str, Any], geometry: Geometry):
        self._file, self._row, self._record, self._geometry = file, row, record, geometry
        self._problems: list[Problem] = []

    def run(self, path_ids: set[str], long_ids: dict[tuple[str, str], list[Any]]) -> list[Problem]:
        """All problems; notes the record's ids in the sets shared by the dataset."""
        record = self._record
        self._check_path_id(path_ids)
        video = record.get("videoId")
        if not isinstance(video, str) or not video or set("/|") & set(video):
            self._bad("videoId", "a str without '/' or '|'", video)
            video = None
        path = self._check_path(video)
        choice = record.get("optView")
        if choice not in path:
            self._bad("optView", "a view of path", choice)
        elif choice == path[0]:
            self._bad("optView", "not path[0], or the record vanishes", choice)
        colmap_id, candidates = self._check_long_id(video, choice)
        self._check_same_path(video, path, long_ids)
        self._check_places(video, colmap_id, candidates, path)
        self._check_texts()
        return self._problems

    def _bad(self, field: str, expected: str, found: object) -> None:
        self._problems.append(Problem(self._file, self._row, field, expected, shown(found)))

    def _check_path_id(self, path_ids: set[str]) -> None:
        path_id = self._record.get("path_id")
        if not isinstance(path_id, str | int) or isinstance(path_id, bool) or path_id == "":
            self._bad("path_id", "a str or int", path_id)
        elif str(path_id) in path_ids:
            self._bad("path_id", "an id no other record has", path_id)
        else:
            path_ids.add(str(path_id))

    def _check_path(self, video: str | None) -> list[Any]:
        path = self._record.get("path")
        if not isinstance(path, list):
            self._bad("path", "a list of view names", path)
            return []
        if not MIN_VIEWS <= len(path) <= MAX_VIEWS:
            self._bad("path", f"{MIN_VIEWS} to {MAX_VIEWS} views", f"{len(path)} views")
        if len({str(view) for view in path}) < len(path):
            self._bad("path", "views that are all different", path)
        frames = [_frame_of(view, video) for view in path]
        for view, frame in zip(path, frames, strict=True):
            if frame is None:
                self._bad("path", "names {videoId}_output_frame_{frame:04d}.png", view)
        known = [frame for frame in frames if frame is not None]
        if known != sorted(known):
            self._bad("path", "views in time order", path)
        return path

    def _check_long_id(self, video: str | None, choice: object) -> tuple[str | None, list[int]]:
        long_id = self._record.get("longId")
        match = _LONG_ID.fullmatch(long_id) if isinstance(long_id, str) else None
        if match is None:
            self._bad("longId", "{colmapId}|{f1}%{f2}...", long_id)
            return None, []
        candidates = [int(number) for number in match[2].split("%")]
        frame = _frame_of(choice, video)
        if frame is not None and frame not in candidates:
            self._bad("longId", f"the frame of optView ({frame}), or the teacher learns to stop", long_id)
        elif frame is not None and candidates[0] != frame:
            self._bad("longId", f"the frame of optView ({frame}) first", long_id)
        if len(candidates) < 2:
            self._bad("longId", "at least one negative", long_id)
        if len(set(candidates)) < len(candidates):
            self._bad("longId", "no frame twice", long_id)
        return match[1], candidates

    def _check_same_path(self, video: str | None, path: list[Any], long_ids: dict[tuple[str, str], list[Any]]) -> None:
        key = (str(video), str(self._record.get("longId")))
        if long_ids.setdefault(key, path) != path:
            self._bad("longId", "one path for all records of a video with this longId", self._record.get("longId"))

    def _check_places(
        self, video: str | None, colmap_id: str | None, candidates: Sequence[int], path: Sequence[Any]
    ) -> None:
        heading = self._record.get("heading")
        if not is_number(heading):
            self._bad("heading", "radians", heading)
        if colmap_id is None:
            return
        places = self._geometry.get(colmap_id)
        if not isinstance(places, dict):
            self._bad("longId", f"a colmapId of {GEOMETRY_FILE}", colmap_id)
            return
        frames = [_frame_of(view, video) for view in path]
        for field, numbers in (("longId", candidates), ("path", frames)):
            for number in numbers:
                if number is not None and number not in places:
                    self._bad(field, f"frames of {colmap_id} in {GEOMETRY_FILE}", number)
        start = places.get(frames[0]) if frames and frames[0] is not None else None
        if isinstance(heading, int | float) and isinstance(start, dict) and is_number(start.get("yaw")):
            off_deg = abs(wrap_deg(math.degrees(heading) - start["yaw"]))
            if off_deg > 0.1:  # NaN was named above
                self._bad("heading", f"the yaw of path[0] in radians ({math.radians(start['yaw']):.4f})", heading)

    def _check_texts(self) -> None:
        texts = self._record.get("instructions")
        if not isinstance(texts, list) or not texts:
            self._bad("instructions", "a list with at least one text", texts)
        elif not all(is_text(text) for text in texts):
            self._bad("instructions", "non-empty strings", texts)
        if "new_instructions" in self._record:
            self._bad("new_instructions", "no such field, the reader passes it to eval", "it")


def _check_description(file: str, row: int, item: dict[str, Any], question_ids: set[str]) -> Iterator[Problem]:
    def bad(field: str, expected: str, found: object) -> Problem:
        return Problem(file, row, field, expected, shown(found))

    video = item.get("videoId")
    if not isinstance(video, str) or not video or "/" in video:
        yield bad("videoId", "a str without '/'", video)
    if item.get("type") not in DESCRIPTION_TYPES:
        yield bad("type", f"one of {', '.join(DESCRIPTION_TYPES)}", item.get("type"))
    images = item.get("image_info")
    if not isinstance(images, list) or not 1 <= len(images) <= MAX_IMAGES:
        yield bad("image_info", f"1 to {MAX_IMAGES} images", len(images) if isinstance(images, list) else images)
    else:
        names = [image.get("image_id") if isinstance(image, dict) else None for image in images]
        matches = [_IMAGE_ID.fullmatch(name) if isinstance(name, str) else None for name in names]
        numbers = [int(match[1]) for match in matches if match is not None]
        if len(numbers) < len(names):
            yield bad("image_info.image_id", "names like output_frame_0012.png", names[matches.index(None)])
        elif numbers != sorted(set(numbers)):
            yield bad("image_info.image_id", "different images in time order", names)
    annotation = item.get("annotation")
    if not isinstance(annotation, list) or not annotation:
        yield bad("annotation", "a list with at least one question", annotation)
        return
    for entry in annotation:
        entry = entry if isinstance(entry, dict) else {}
        question_id = entry.get("question_id")
        if not isinstance(question_id, str | int) or isinstance(question_id, bool) or question_id == "":
            yield bad("annotation.question_id", "a str or int", question_id)
        elif str(question_id) in question_ids:
            yield bad("annotation.question_id", "an id no other question has", question_id)
        question_ids.add(str(question_id))
        if not is_text(entry.get("question")):
            yield bad("annotation.question", "a text", entry.get("question"))
        answers = entry.get("answers")
        if not isinstance(answers, list) or not answers or not all(is_text(answer) for answer in answers):
            yield bad("annotation.answers", "a list of texts", answers)


def _frame_of(view: object, video: str | None) -> int | None:
    """Frame number of a view name of this video, or None if it is no such name."""
    if not isinstance(view, str) or video is None:
        return None
    digits = view.removeprefix(f"{video}_output_frame_").removesuffix(".png")
    well_named = digits.isascii() and digits.isdigit() and view == f"{video}_output_frame_{int(digits):04d}.png"
    return int(digits) if well_named else None
