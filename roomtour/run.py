"""A finished (or partly finished) run folder as typed objects, read when asked for."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import fields, replace
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from instructions.navigation.records import Instruction, NavigationText
from recon.findings import Finding
from recon.numerals import count
from recon.records import Frame, Scene
from recon.upright.outline import SceneOutline, read_outline
from roomtour import artifacts
from roomtour.artifacts import ARTIFACTS, KEPT_ROWS, REJECTED_ROWS, ROW_COUNTS, Artifact
from roomtour.errors import RoomtourError
from roomtour.export.core.records import RunData
from roomtour.files.arrays import read_depth
from roomtour.files.models import INDEX, SubModelEntry, read_index
from roomtour.files.records import make_table, parse_json
from roomtour.files.reviews import DIALOGUE_RATINGS, QAR_RATINGS, RATINGS, group_qar_ratings, mean_scores
from roomtour.kinds import KIND_NAMES, require_kinds
from roomtour.store import MANIFEST, RunStore, StageEntry
from roomtour.summary import RunSummary, count_figures
from roomtour.tour_facts import UNKNOWN, TourFacts, facts_from_dict
from roomtour.verdict import Verdict, judge

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

    from roomtour.drawing.floor_plan import Sheet

T = TypeVar("T")


_STORED = tuple(field.name for field in fields(RunData) if field.name in ARTIFACTS and field.name != "scene")
"""What `RunData` holds as it lies in the run folder."""


_STAGES = tuple(dict.fromkeys(artifact.stage for artifact in ARTIFACTS.values()))
"""That make something, in run order."""


class Stored(Generic[T]):
    """Rows of an artifact as an attribute of a run."""

    def __init__(self, artifact: Artifact[T]):
        self._artifact = artifact
        self.__doc__ = f"{artifact.text[0].upper()}{artifact.text[1:]}."

    @overload
    def __get__(self, run: None, owner: type[Run]) -> Stored[T]: ...
    @overload
    def __get__(self, run: Run, owner: type[Run]) -> tuple[T, ...]: ...
    def __get__(self, run: Run | None, owner: type[Run]) -> Stored[T] | tuple[T, ...]:
        """The rows; the attribute itself for the class."""
        return self if run is None else run._read(self._artifact)


class Run:
    """What `roomtour process` made of one tour. Values are read from the run folder once, when first asked for."""

    def __init__(self, path: Path | str):
        self.path = Path(path)
        if not (self.path / MANIFEST).exists():
            inside = next(
                (manifest.parent for deep in ("*", "runs/*") for manifest in self.path.glob(f"{deep}/{MANIFEST}")), None
            )
            what = f"give one run of it, such as {inside}" if inside else "make one with: roomtour process"
            raise RoomtourError(f"{self.path}: no run folder (it has no {MANIFEST}); {what}")
        self._store = RunStore(self.path)
        self._rows: dict[str, tuple[Any, ...]] = {}

    def __repr__(self) -> str:
        return f"Run({str(self.path)!r}, stages done: {', '.join(self._store.stages) or 'none'})"

    @property
    def manifest(self) -> Mapping[str, Any]:
        """Versions, options, source: the manifest without its stages."""
        return self._store.facts

    @property
    def stages(self) -> Mapping[str, StageEntry]:
        """Finished stages by name, in run order."""
        return self._store.stages

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Findings of every finished stage, in run order, and why others are unfinished."""
        findings = (finding for entry in self._store.stages.values() for finding in entry.findings)
        return (*findings, *self._store.unfinished.values())

    @property
    def unfinished(self) -> Mapping[str, Finding]:
        """Kinds of data that a server did not answer for, with the cause; rows made before stay."""
        return self._store.unfinished

    @cached_property
    def scene(self) -> Scene:
        """The upright scene, with the findings of all stages."""
        from recon.upright.scene_io import read_scene

        self._require(artifacts.SCENE.stage)
        scene = read_scene(self.path / artifacts.SCENE.path)
        said = self.facts.licence
        source = scene.source if said == UNKNOWN else replace(scene.source, licence=said)
        return replace(scene, source=source, findings=self.findings)

    @property
    def frames(self) -> tuple[Frame, ...]:
        """Sampled frames in time order, with or without a pose; `scene.models` have the poses."""
        return self.scene_outline.frames

    def image(self, frame: int) -> NDArray[np.uint8]:
        """The picture of a frame, (H, W, 3) RGB.

        Raises:
            RoomtourError: If there is no such frame, or its picture is missing or damaged.
        """
        from recon.pictures import read_picture_file  # rests on OpenCV, without which `roomtour show` is quicker

        path = self.path / artifacts.FRAMES.path / self._find_frame(frame).image
        image_bgr = read_picture_file(path)
        if image_bgr is None:
            raise RoomtourError(f"{path}: missing or no picture. Make it again with: roomtour process --force sample")
        return np.ascontiguousarray(image_bgr[:, :, ::-1], dtype=np.uint8)

    def depth(self, frame: int) -> NDArray[np.float32]:
        """Depth of a frame along its viewing direction, sampled at the centres of every fourth pixel, (h, w).

        In the unit of the frame's model (`scene.models[k].scale.unit`); NaN where it is unknown.

        Raises:
            RoomtourError: If there is no such frame, it has no pose, or its map is damaged.
        """
        self._require(artifacts.DEPTH.stage)
        self._find_frame(frame)
        if not any(frame in model.frames for model in self.scene_outline.models):
            raise RoomtourError(f"{self.path}: frame {frame} has no pose, so no depth")
        return read_depth(self.path / artifacts.DEPTH.path, frame)

    def _find_frame(self, index: int) -> Frame:
        for frame in self.frames:
            if frame.index == index:
                return frame
        raise RoomtourError(f"{self.path}: no frame {index}; it has {len(self.frames)}, numbered from 1")

    trajectories = Stored(artifacts.TRAJECTORIES)
    training = Stored(artifacts.TRAINING)
    view_changes = Stored(artifacts.VIEW_CHANGES)
    candidates = Stored(artifacts.CANDIDATES)
    floor_plans = Stored(artifacts.FLOOR_PLANS)
    rooms = Stored(artifacts.ROOMS)
    doorways = Stored(artifacts.DOORWAYS)
    objects = Stored(artifacts.OBJECTS)
    observations = Stored(artifacts.OBSERVATIONS)
    spatial_lines = Stored(artifacts.SPATIAL_LINES)
    frame_rooms = Stored(artifacts.FRAME_ROOMS)
    room_spans = Stored(artifacts.ROOM_SPANS)
    detections = Stored(artifacts.DETECTIONS)
    scans = Stored(artifacts.SCANS)
    further_walks = Stored(artifacts.FURTHER_WALKS)
    further_instructions = Stored(artifacts.FURTHER_INSTRUCTIONS)
    view_descriptions = Stored(artifacts.VIEW_DESCRIPTIONS)
    unposed_descriptions = Stored(artifacts.UNPOSED_DESCRIPTIONS)
    region_views = Stored(artifacts.REGION_VIEWS)
    clouds = Stored(artifacts.CLOUDS)
    dialogue_contexts = Stored(artifacts.DIALOGUE_CONTEXTS)
    thinking = Stored(artifacts.THINKING)
    verbalizations = Stored(artifacts.VERBALIZATIONS)
    region_pairs = Stored(artifacts.REGION_PAIRS)
    region_choices = Stored(artifacts.REGION_CHOICES)
    merge_attempts = Stored(artifacts.MERGE_LOG)

    @cached_property
    def scene_outline(self) -> SceneOutline:
        """The scene without its poses and points, which are read in no time."""
        self._require(artifacts.SCENE.stage)
        return read_outline(self.path / artifacts.SCENE.path)

    @property
    def facts(self) -> TourFacts:
        """What is known of the tour: licence, author, consent."""
        said = self.manifest.get("options", {}).get("tour", {})
        return facts_from_dict(said, f"{self.path / MANIFEST}: options.tour")

    @property
    def imported_as(self) -> str | None:
        """The format that the run was imported from; None for a run of a tour."""
        return self._store.imported_as

    @property
    def asked_kinds(self) -> tuple[str, ...]:
        """Kinds of data that the run was asked for."""
        asked = self.manifest.get("options", {}).get("data", [])
        return tuple(name for name in KIND_NAMES if name in asked)

    @property
    def is_readable(self) -> bool:
        """Whether everything is done that the summary reads, the kinds of data asked for included."""
        needed = {
            artifact.stage
            for artifact in ARTIFACTS.values()
            if artifact.record is not None and not artifact.is_optional
        }
        asked = set(self.asked_kinds).difference(self.unfinished)
        return needed.difference(KIND_NAMES).union(asked) <= set(self.stages)

    @property
    def kinds(self) -> tuple[str, ...]:
        """Kinds of data that are made."""
        return tuple(name for name in KIND_NAMES if name in self._store.stages)

    def rows(self, kind: str) -> tuple[Any, ...]:
        """Kept rows of a kind of data.

        Raises:
            RoomtourError: For a name that is no kind, or a kind that the run does not have.
        """
        return self._kind_rows(kind, KEPT_ROWS)

    def rejected_rows(self, kind: str) -> tuple[Any, ...]:
        """Rows of a kind of data that were not kept, each with its reason; raises as `rows` does."""
        return self._kind_rows(kind, REJECTED_ROWS)

    def table(self, name: str) -> pd.DataFrame | pa.Table:
        """Rows as a table, one column per field: of pandas where it is installed, else of pyarrow.

        Args:
            name: A kind of data, such as `spatial`, for its kept rows; `frames`; or any other file of rows of a run,
                such as `objects` or `trajectories`, by its name in docs/run-folder.md.

        Raises:
            RoomtourError: For another name, or rows that the run does not have.
        """
        files = {file.name: file for file in ARTIFACTS.values() if file.record is not None} | dict(KEPT_ROWS)
        if name != "frames" and name not in files:
            raise RoomtourError(f"{name}: a run has no such rows; it has: {', '.join(sorted({'frames', *files}))}")
        if name == "frames":
            table = make_table(self.frames, Frame)
        else:
            table = make_table(self._read(files[name]), files[name].record)
        return table.to_pandas() if find_spec("pandas") else table

    def _kind_rows(self, kind: str, files: Mapping[str, Artifact[Any]]) -> tuple[Any, ...]:
        require_kinds([kind], "kind")
        return self._read(files[kind])

    @property
    def instructions(self) -> tuple[Instruction, ...]:
        """Navigation texts whose claims hold against the geometry."""
        return self.rows("navigation")

    @property
    def texts(self) -> tuple[NavigationText, ...]:
        """Every kept text that people may judge: about walks, parts of them, ways back, and views."""
        if "navigation" not in self.kinds:
            return ()
        further = tuple(row for row in self.further_instructions if row.accepted)
        return (*self.instructions, *further, *self.view_descriptions)

    @property
    def rejected_instructions(self) -> tuple[Instruction, ...]:
        """Navigation texts that were not kept, with the reason."""
        return self.rejected_rows("navigation")

    @property
    def sub_models(self) -> tuple[SubModelEntry, ...]:
        """The index of what structure from motion made of each clip."""
        folder = artifacts.SUB_MODELS
        self._require(folder.stage, f"{folder.path}/{INDEX}")
        return read_index(self.path / folder.path)

    @property
    def data(self) -> RunData:
        """Everything exports read, as far as it is made, frames included, byte for byte as it was written.

        Raises:
            RoomtourError: If there is no scene yet; if a row is of another tour; if a file is not as it was written.
        """
        self._require_as_written({*self._stages_read, artifacts.FRAMES.stage}, by_content=True)
        return self.data_so_far

    @property
    def data_so_far(self) -> RunData:
        """The same, of which only the sizes of files are compared with what was written; raises as `data` does."""
        rows = {kind: self.rows(kind) + self.rejected_rows(kind) for kind in self.kinds}
        try:
            data = RunData(
                scene=self.scene,
                frames_dir=self.path / artifacts.FRAMES.path,
                provenance=self._store.facts,
                facts=self.facts,
                rows=rows,
                ratings=mean_scores(RATINGS.load(self.path), self.texts),
                dialogue_ratings=DIALOGUE_RATINGS.load(self.path),
                region_ratings=group_qar_ratings(QAR_RATINGS.load(self.path), rows.get("regions", ())),
                missing=tuple(stage for stage in _STAGES if stage not in self.stages),
                command_for=self.command_for,
                asked_kinds=self.asked_kinds,
                folder=self.path,
                **{name: self._read_so_far(ARTIFACTS[name]) for name in _STORED},
            )
        except ValueError as error:
            raise RoomtourError(f"{self.path}: {error}. Make the rows anew: roomtour make {self.path}") from error
        self._require_as_written(self._stages_read)
        return data

    def command_for(self, stage: str) -> str:
        """The command that makes a stage that is not done."""
        from roomtour.commands import stage_command  # rests on the options of all stages, and so on COLMAP

        return stage_command(stage, self.manifest, self.path, self.stages)

    @property
    def _stages_read(self) -> set[str]:
        """Stages that left what `RunData` holds."""
        return {artifacts.SCENE.stage, *(ARTIFACTS[name].stage for name in _STORED), *self.kinds}

    def _require_as_written(self, stages: Collection[str], *, by_content: bool = False) -> None:
        """Refuse what reads well and is not all that was written, such as an emptied file or a frame of another place.

        All of it is hashed before the first byte is copied, so that no reader of single files can forget to; that
        takes less time than decoding the pictures once.
        """
        for stage, entry in self.stages.items():
            wanted = stage in stages
            damage = self._store.list_damage(stage, tuple(entry.outputs), by_content=by_content) if wanted else ()
            if damage:
                raise RoomtourError(
                    f"{self.path}: stage {stage} is damaged ({damage[0]}). "
                    f"Repair it with: roomtour check {self.path} --repair"
                )

    @cached_property
    def verdict(self) -> Verdict:
        """What one may do with the run."""
        return judge(self.scene_outline, self.findings)

    def summary(self) -> RunSummary:
        """The figures `roomtour show` prints."""
        made = "navigation" in self.kinds
        return count_figures(
            self.scene_outline,
            self.findings,
            self.trajectories,
            self.training,
            objects=len(self.objects),
            accepted=len(self.instructions) if made else 0,
            rejected=len(self.rejected_instructions) if made else 0,
            families={kind: self.row_counts(kind).get("families", {}) for kind in self.kinds},
        )

    def row_counts(self, kind: str) -> dict[str, Any]:
        """What `counts.json` of a kind of data says; empty where the kind was not made."""
        path = self.path / ROW_COUNTS[kind].path
        return parse_json(path.read_text(encoding="utf-8")) if path.is_file() else {}

    @property
    def perception(self) -> str:
        """What named and found things: `landmarks`, `light` or `models`, or where they were imported from; empty where
        the manifest does not say.
        """
        if self.imported_as is not None:
            return f"imported: {self.imported_as}"
        return str(self.manifest.get("options", {}).get("perception", ""))

    def plot_floor_plan(self, model: str = "") -> Sheet:
        """Draw the floor plan, which a notebook shows; `str` of it is an SVG file.

        Args:
            model: Name of the model; the largest if not given.

        Raises:
            RoomtourError: If there is no such model, or the run is stopped before its things and rooms are known.
        """
        from roomtour.drawing.floor_plan import draw_floor_plan

        return draw_floor_plan(self, model)

    def _repr_html_(self) -> str:
        """What a notebook shows: verdict, figures and floor plan."""
        from roomtour.drawing.svg import element, join

        if "scene" not in self.stages:
            return str(element("p", repr(self)))
        scene = self.scene_outline
        figures = [
            f"{scene.registered} of {count(len(scene.frames), 'frame')} with a pose",
            count(len(scene.models), "model"),
            *(f"{len(self.rows(kind))} accepted rows of {kind}" for kind in self.kinds),
        ]
        parts = [element("strong", scene.id), element("p", str(self.verdict)), element("p", ", ".join(figures))]
        if scene.models and artifacts.DOORWAYS.stage in self.stages and "navigation" in self.kinds:
            parts.append(self.plot_floor_plan())
        return str(element("div", join(parts)))

    @property
    def files(self) -> dict[str, Path]:
        """What lies where, for people: what is there and holds something."""
        shown = (artifacts.REPORT, *KEPT_ROWS.values(), artifacts.TRAJECTORIES, artifacts.SCENE, artifacts.FRAMES)
        named = {artifact.name: artifact.path for artifact in shown if artifact.stage in self.stages} | {
            "manifest": MANIFEST
        }
        paths = {name: self.path / file for name, file in named.items()}
        return {name: path for name, path in paths.items() if path.exists() and path.stat().st_size}

    def _read(self, artifact: Artifact[T]) -> tuple[T, ...]:
        if artifact.name not in self._rows:
            if not artifact.is_optional:
                self._require(artifact.stage, artifact.path)
            is_done = artifact.stage in self.stages  # else a file that lies there is of an earlier result
            self._rows[artifact.name] = artifact.read(self.path) if is_done else ()
        return self._rows[artifact.name]

    def _read_so_far(self, artifact: Artifact[T]) -> tuple[T, ...]:
        return self._read(artifact) if artifact.stage in self.stages else ()

    def require(self, stages: Iterable[str]) -> None:
        """Refuse a run that lacks a stage.

        Raises:
            RoomtourError: Naming the last stage that is not done, and the command that makes it.
        """
        for stage in reversed([*stages]):
            self._require(stage)

    def _require(self, stage: str, file: str | None = None) -> None:
        """Refuse what is not there yet, or was taken away, in one line."""
        if stage not in self._store.stages:
            done = ", ".join(self._store.stages) or "none"
            raise RoomtourError(
                f"{self.path}: stage {stage} is not done (done: {done}). Make it with: {self.command_for(stage)}"
            )
        if file is not None and not (self.path / file).exists():
            raise RoomtourError(f"{self.path / file}: missing. Make it again with: roomtour process --force {stage}")
