"""The scene model: frames, clips, free-scale sub-models, and the upright scene that everything after `recon` reads.

State is in the type: a `SubModel` has an arbitrary frame and scale; a `SceneModel` is z up and carries its `Scale`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from recon.errors import ReconError
from recon.findings import Finding
from recon.geometry import Array, Camera, Pose, path_length
from recon.numerals import list_some

CAMERA_HEIGHT_M = 1.5
"""Height above the floor at which a tour is filmed, held before chest or face: the prior where nothing measures it."""
MEDIAN_INDOOR_DEPTH_M = 2.5
"""What a hand-held camera typically looks at in a home: across a room. Only used where a model has no scale."""
if TYPE_CHECKING:
    import pycolmap

ScaleStatus = Literal["metric", "assumed", "relative"]
WitnessKind = Literal["camera", "sizes", "depth"]
DOOR_HEIGHT = "door height"
"""Name of the witness by which a scale is judged besides the camera's height."""
UNNAMED, FLOOR, CEILING, WALL, THING = range(5)
"""What a point lies on, as far as several views agree: nobody knows, surfaces of the building, or anything else."""
JoinedBy = Literal["shared frames", "matches"]


@dataclass(frozen=True)
class SourceInfo:
    """What a tour was read from. Sizes are after rotation, before resizing."""

    path: str
    kind: Literal["video", "images"]
    width: int
    height: int
    duration_s: float
    """Last presentation time minus the first, plus one mean frame."""
    frame_count: int
    """Frames that could be decoded, not what the header says."""
    fps: float
    """Mean decoded rate."""
    codec: str
    rotation_deg: int
    sha256: str
    """Of the file; of the sorted names and bytes for a folder."""
    licence: str = "unknown"


@dataclass(frozen=True)
class Frame:
    """One kept frame. `index` counts from 1 and is the COLMAP image id; `image` is the file name in `frames/`."""

    index: int
    time_s: float
    image: str
    width: int
    height: int
    sharpness: float
    """Variance of the Laplacian of the gray image; comparable within one tour only."""
    shot: int
    """Shot number from 0, in time order."""
    source: str = ""
    """Name of the picture that it was made of, where the tour is a folder of pictures."""


@dataclass(frozen=True)
class Clip:
    """A stretch of one shot that is reconstructed on its own. Neighbours share frames."""

    name: str
    """`000`, `001`, ... in time order."""
    shot: int
    frames: tuple[int, ...]
    """Frame indices in time order."""


@dataclass(frozen=True, eq=False)
class SubModel:
    """One connected free-scale reconstruction. Image ids are frame indices; only registered images have poses."""

    name: str
    """`clip/k` straight from the mapper, `merged/k` after merging."""
    clips: tuple[str, ...]
    reconstruction: pycolmap.Reconstruction
    held_by_floor: bool = False
    """Whether the floor holds its scale where its pictures do not (`floor.hold`): an adjustment by pictures
    alone would lose it again."""

    @cached_property
    def frames(self) -> tuple[int, ...]:
        """Registered frame indices in time order."""
        return tuple(sorted(self.reconstruction.reg_image_ids()))

    @cached_property
    def mean_reprojection_error_px(self) -> float:
        """Mean over 3D points, as COLMAP computes it."""
        return float(self.reconstruction.compute_mean_reprojection_error())


@dataclass(frozen=True)
class MergeAttempt:
    """One line of the merge log: what was tried, what it did to the errors, and what became of it."""

    first: str
    second: str
    result: str
    """Name of the model that the link went into, perhaps with further ones, or empty if it was not used."""
    shared_frames: tuple[int, ...]
    error_first_px: float
    error_second_px: float
    error_merged_px: float | None
    center_disagreement: float | None
    """Median distance of shared camera centres after alignment, in median steps of the first model's walk."""
    rotation_disagreement_deg: float | None
    observations_before: int
    observations_after: int | None
    verdict: Literal["accepted", "rolled back", "not aligned"]
    """`not aligned` where the relative pose or scale of the two could not be found."""
    reason: str
    seconds: float
    joined_by: JoinedBy = "shared frames"
    """What their relative pose was found from; for `matches`, `shared_frames` are those placed in the other model."""
    scale_disagreement: float | None = None
    """How far the relative scale drifts along the shared frames; 0.1 is 10 %."""
    contradicting_pairs: int | None = None
    """Verified pairs across the join that contradict the merged model; None where nothing was asked."""
    asked_pairs: int | None = None


@dataclass(frozen=True)
class Scale:
    """How many metres one unit of the model is, and how far that can be trusted.

    `metric` comes from a sensor, a metric depth model or several kinds of things of known size that agree, `assumed`
    from less, such as a camera height; `relative` is no scale at all: nothing may print metres then. The model's own
    coordinates are already multiplied by `factor`.
    """

    status: ScaleStatus
    factor: float
    sigma: float
    """Relative standard deviation of `factor`; 0.1 means 10 %."""
    source: str

    @property
    def unit(self) -> str:
        """`m` if lengths are metres (metric or assumed), else `unit`."""
        return "unit" if self.status == "relative" else "m"


@dataclass(frozen=True)
class ExpectedSize:
    """One usual size of a kind of thing."""

    size_m: float
    spread: float
    """Relative standard deviation among such things."""
    share: float
    """How many of the kind are of this size, 0 to 1."""


@dataclass(frozen=True)
class SizeWitness:
    """Things of one kind, as a model shows them."""

    name: str
    """What is measured: `door height`."""
    measured: tuple[float, ...]
    """One size per thing, in units of the model; at least one."""
    expected: tuple[ExpectedSize, ...]
    noise: float
    """Relative standard deviation of one measurement."""
    trust: float
    """How likely it is that a thing is what it is called, 0 to 1."""
    kind: WitnessKind = "sizes"

    def __post_init__(self) -> None:
        """Refuse what has no likelihood."""
        sizes = [*self.measured, *(size.size_m for size in self.expected), *(size.spread for size in self.expected)]
        if not self.measured or not self.expected or min(sizes) <= 0 or not np.all(np.isfinite(sizes)):
            raise ReconError(f"scale: {self.name} measures {self.measured} and expects {self.expected}; need sizes > 0")


@dataclass(frozen=True)
class ScaleWitness:
    """What one kind of evidence says of a model's scale."""

    name: str
    """What was measured: `camera height`, `door height`."""
    things: int
    """How many things of the kind."""
    measured: float
    """Size of the middle one in units of the free model: times `Scale.factor` it is metres."""
    expected_m: float
    """How large such a thing usually is."""
    spread: float
    """Relative standard deviation of what it says of the scale: of such things, and of the measurement."""
    factor: float
    """Metres per unit that it says alone."""
    weight: float
    """Its share of what all witnesses know, 0 to 1."""
    residual: float
    """How much larger it is than expected at the scale taken, in spreads (of the logarithm)."""
    agrees: bool
    """Whether the residual is no surprise."""


@dataclass(frozen=True, eq=False)
class Tracks:
    """3D points of one model and where frames saw them. Observations are sorted by frame, then by point."""

    xyz: Array  # (P, 3) world
    rgb: NDArray[np.uint8]  # (P, 3)
    error_px: Array  # (P,) mean reprojection error
    obs_point: NDArray[np.int64]  # (O,) row into xyz
    obs_frame: NDArray[np.int64]  # (O,) frame index
    obs_xy: Array  # (O, 2) pixels, pixel centres at +0.5

    def __post_init__(self) -> None:
        points, observations = len(self.xyz), len(self.obs_point)
        if self.xyz.shape != (points, 3) or self.rgb.shape != (points, 3) or self.error_px.shape != (points,):
            raise ValueError(f"Tracks: points have shapes {self.xyz.shape} {self.rgb.shape} {self.error_px.shape}")
        if self.obs_frame.shape != (observations,) or self.obs_xy.shape != (observations, 2):
            raise ValueError(f"Tracks: observations have shapes {self.obs_frame.shape} {self.obs_xy.shape}")

    def rows_of_frame(self, frame: int) -> slice:
        """The rows of `obs_*` that belong to one frame."""
        first, last = np.searchsorted(self.obs_frame, [frame, frame + 1])
        return slice(int(first), int(last))


@dataclass(frozen=True)
class PoseSigma:
    """How far one pose may be off against its neighbours, 1 sigma; wrong matches are not in it."""

    position: float
    """Along the worst direction, in the unit of the model."""
    rotation_deg: float
    """About the worst axis."""


@dataclass(frozen=True)
class ModelHealth:
    """Figures that tell a sound model from one that only looks sound. None where nothing could be measured."""

    frames: int
    registered_share: float
    """Of the tour's frames between the model's first and last."""
    mean_track_length: float
    """Frames that see a point."""
    checked_pairs: int
    """Verified pairs of neighbouring frames that were asked whether they agree with the model."""
    contradicting_pairs: int
    """Of those: another relative pose explains their matches much better. Sound models have a few percent."""
    loop_pairs: int
    """Verified pairs of frames from different times (revisits)."""
    loop_residual_px: float | None
    """Median distance of their matches from the epipolar lines of the model: drift between visits shows here."""
    contradicting_loops: int
    """Of the revisits: their matches lie far off, or another relative pose explains them much better. The walk drifted
    between the visits, or places that look alike were confused."""
    scale_sigma: float | None
    """Worst standard deviation of the log scale between two parts of the walk, without its first and last frames."""
    scale_drift: float | None
    """Largest change of relative scale along the frames that two joined sub-models shared; 0.1 is 10 %."""
    contradicting_places: int
    """Of the contradicting revisits: how many are of different places at both visits, and so are independent evidence.
    One frame that many others take for another place is one."""


@dataclass(frozen=True, eq=False)
class SceneModel:
    """One connected reconstruction, z up, in metres where `scale` says so."""

    name: str
    """`0` is the largest; also the folder name under scene/models/."""
    camera: Camera
    world_from_cam: Mapping[int, Pose]
    """Pose per registered frame index, in time order."""
    tracks: Tracks
    scale: Scale
    floor_z: float | None
    """Height of the floor plane (normal +z) in this model's world; None if none was found and none was assumed."""
    up_source: str
    """What decided the vertical, for people."""
    mean_reprojection_error_px: float
    clips: tuple[str, ...] = ()
    pose_sigma: Mapping[int, PoseSigma] = field(default_factory=dict)
    """Per registered frame, where it could be computed."""
    health: ModelHealth | None = None
    witnesses: tuple[ScaleWitness, ...] = ()
    """What `scale` was weighed from, most weight first; empty where one thing alone decided it."""
    is_upright: bool = True
    """Whether z is up; False for a single image that shows too little ground: z is then the image's own up."""
    has_clouds: bool = False
    """Whether the points of a thing are its measured surface, as in a single image with depth: it is then these points
    in every measure, else its box."""
    range_sigma: float = 0.0
    """Relative standard deviation of how far single points and things are from the camera, each on its own, where depth
    was learned from one picture; 0 where it was measured."""
    floor_range: float = 0.0
    """Spread (5 to 95 %) of the floor's height over its parts: what a model that bends or leans makes of one level."""
    measured_depth: Mapping[int, NDArray[np.float32]] = field(default_factory=dict)
    """By frame, depth (h, w) at every fourth pixel in the model's unit, NaN where unknown; no part of its files."""

    @cached_property
    def frames(self) -> tuple[int, ...]:
        """Registered frame indices in time order."""
        return tuple(self.world_from_cam)

    @property
    def points(self) -> Tracks:
        """Its 3D points: `xyz` (P, 3), `rgb` (P, 3), `error_px` (P,), and which frames saw them."""
        return self.tracks

    @cached_property
    def centers(self) -> Array:
        """(F, 3) camera centres in the order of `frames`."""
        return np.array([pose.center for pose in self.world_from_cam.values()]).reshape(-1, 3)

    @property
    def path_length(self) -> float:
        """Length of the camera path in `scale.unit`."""
        return path_length(self.centers)

    @cached_property
    def median_step(self) -> float:
        """Median distance between consecutive registered frames in `scale.unit`; 0 for fewer than two frames."""
        steps = np.linalg.norm(np.diff(self.centers, axis=0), axis=1)
        return float(np.median(steps)) if len(steps) else 0.0

    def observe(self, frame: int) -> tuple[NDArray[np.int64], Array, Array]:
        """The points that a registered frame observed: their rows (N,), pixels (N, 2) and depths (N,) from it."""
        rows = self.tracks.rows_of_frame(frame)
        points = self.tracks.obs_point[rows]
        return points, self.tracks.obs_xy[rows], self.world_from_cam[frame].depths(self.tracks.xyz[points])

    @cached_property
    def nominal_metre(self) -> float:
        """Length of about one metre in the model's unit: 1 where the scale is metric or assumed.

        Without scale the median depth of all observations stands for `MEDIAN_INDOOR_DEPTH_M`, so that thresholds fit
        the size of a room. Depth rather than pace, because tours without scale are mostly those that stand and pan.
        1 for a model without points. Nothing may print metres because of it.
        """
        if self.scale.status != "relative":
            return 1.0
        depths = np.concatenate([np.zeros(0), *(self.observe(frame)[2] for frame in self.frames)])
        ahead = depths[depths > 0]
        return float(np.median(ahead)) / MEDIAN_INDOOR_DEPTH_M if len(ahead) else 1.0


@dataclass(frozen=True, eq=False)
class Scene:
    """Everything the later packages may know of a tour."""

    id: str
    """Tour name: letters, digits, `-` and `_` only, so it is safe in file names and export ids."""
    source: SourceInfo
    frames: tuple[Frame, ...]
    clips: tuple[Clip, ...]
    models: tuple[SceneModel, ...]
    """Largest first."""
    findings: tuple[Finding, ...] = field(default=())

    @property
    def is_pictures(self) -> bool:
        """Whether the frames are single pictures that were imported, each of a place of its own."""
        return self.source.codec == "images" and not self.clips

    @property
    def registered(self) -> int:
        """Frames with a pose in any model (a frame left in two unjoined models counts once)."""
        return len({frame for model in self.models for frame in model.frames})

    @cached_property
    def frame_by_index(self) -> dict[int, Frame]:
        """Frames by their index."""
        return {frame.index: frame for frame in self.frames}

    @property
    def scale_status(self) -> ScaleStatus:
        """The weakest status among the models; `relative` for none."""
        return weakest_scale(model.scale for model in self.models)


def weakest_scale(scales: Iterable[Scale]) -> ScaleStatus:
    """The status that holds for all of them; `relative` for none."""
    weakest_first: tuple[ScaleStatus, ...] = ("relative", "assumed", "metric")
    found: list[ScaleStatus] = [scale.status for scale in scales]
    return min(found, key=weakest_first.index) if found else "relative"


def say_scale_gap(scales: Sequence[Scale]) -> str:
    """That there are no metres, and in how many of the models; empty where every model has a scale."""
    without = sum(scale.status == "relative" for scale in scales)
    if without < len(scales):
        where = f" in {without} of {len(scales)} models"
        return f"no scale{where}, so no metres there" if without else ""
    return "no scale, so no metres"


def frame_ranges(frames: Sequence[Frame]) -> str:
    """Frames in words: `frames 40-55 (13.0-18.0 s), frame 60 (19.7 s)`, the first six runs."""
    runs: list[list[Frame]] = []
    for frame in frames:
        if runs and frame.index == runs[-1][-1].index + 1:
            runs[-1].append(frame)
        else:
            runs.append([frame])
    words = [
        f"frame {run[0].index} ({run[0].time_s:.1f} s)"
        if len(run) == 1
        else f"frames {run[0].index}-{run[-1].index} ({run[0].time_s:.1f}-{run[-1].time_s:.1f} s)"
        for run in runs
    ]
    return list_some(words)


def measure_span_s(frames: Sequence[Frame]) -> float:
    """Seconds from the first sampled frame to the last; 0 for none. A tour may be sampled in part."""
    return max((frame.time_s for frame in frames), default=0.0) - min((frame.time_s for frame in frames), default=0.0)
