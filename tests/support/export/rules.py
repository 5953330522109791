"""Every rule of every format broken once: dataset, file, the field that the check must name, and the change."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np

from instructions.perception.masks import pack_runs
from instructions.records import MaskRle
from tests.support.export.breaking import GONE, Break, OnFile, add, cut_to, holding, on, pop, reverse, set_to, without

Rules = list[tuple[str, Break | OnFile] | tuple[str, Break | OnFile, str]]
"""Field that the check must name, what is changed, and the file that is told of if it is not the changed one."""
TYPES_OF_A_FILE: Rules = [("json", holding("{}")), ("file", GONE)]
CAMERA, STATE = "observation.images.camera", "observation.state"


def line(text: str) -> Break:
    """One more line of text."""
    return lambda whole: f"{whole}{text}\n"


def words(before: str, after: str) -> Break:
    """Other words in a text, which must hold them."""

    def change(whole: str) -> str:
        assert before in whole, before
        return whole.replace(before, after, 1)

    return change


def put(row: int = 0, /, **fields: Any) -> Break:
    """Other values in a row."""
    return lambda rows: rows[row].update(fields)


def same(field: str, row: int = 1) -> Break:
    """The value that the first row has."""
    return lambda rows: rows[row].update({field: rows[0][field]})


def twice(rows: list[Any]) -> None:
    """The first row once more."""
    rows.append(rows[0])


def archive(change: Any) -> OnFile:
    """Another array under the key `data` of an archive."""
    return OnFile(lambda path: np.savez(path, data=change(np.load(path)["data"])))


NOTHING = MaskRle(360, 640, (360 * 640,))
"""A mask that covers nothing."""

RULES: dict[str, dict[str, Rules]] = {}
"""By dataset and file."""

# fmt: off
# ------------------------------------------------------------- walks

RULES["tum"] = {
    "0.txt": [
        ("line", line("1 2 3")), ("z", line("99 0 0 nan 0 0 0 1")), ("x", line("99 x 0 0 0 0 0 1")),
        ("qx qy qz qw", line("99 0 0 0 0 0 0 2")), ("t", line("0.5 0 0 0 0 0 0 1")), ("lines", holding("# nothing\n")),
    ]
}

def _no_rotation(path: Path) -> None:
    """Zeros for the quaternion of the first image, which follows the count and its id."""
    data = path.read_bytes()
    path.write_bytes(data[:12] + bytes(32) + data[44:])

RULES["colmap"] = {
    "0/cameras.bin": [("file", GONE)],
    "0/images.txt": [
        ("file", GONE), ("name", words("000003.jpg", "/abs/000003.jpg")),
        ("name", words("000003.jpg", "../000003.jpg")), ("name", words("000003.jpg", "000004.jpg")),
    ],
    "0/points3D.txt": [("file", GONE)],
    "0/points3D.bin": [("model", cut_to(100), "0/*.bin")],
    "0/cameras.txt": [("params", words(" 500 ", " -500 ")), ("params", words(" 500 ", " 501 "))],
    "0/images.bin": [("pose", OnFile(_no_rotation))],
}

def _opencv_axes(content: dict[str, Any]) -> None:
    for frame in content["frames"]:
        frame["transform_matrix"] = (np.array(frame["transform_matrix"]) @ np.diag([1, -1, -1, 1])).tolist()

RULES["nerfstudio"] = {
    "0/transforms.json": [
        ("camera_model", set_to("camera_model", value="SPHERE")),
        ("w", set_to("w", value=0)), ("w", set_to("w", value=641)),
        ("h", set_to("h", value=720)), ("h", without("h")), ("fl_x", set_to("fl_x", value=-500.0)),
        ("fl_y", without("fl_y")), ("cx", set_to("cx", value=900.0)), ("cy", set_to("cy", value="180")),
        ("k1", without("k1")), ("p2", set_to("p2", value=None)), ("frames", set_to("frames", value=[])),
        ("record", set_to("frames", 0, value="x")), ("file_path", without("frames", 0, "file_path")),
        ("file_path", set_to("frames", 0, "file_path", value="images/000002.jpg")),
        ("file_path", set_to("frames", 0, "file_path", value="../000001.jpg")),
        ("file_path", set_to("frames", 0, "file_path", value="images/999999.jpg")),
        ("transform_matrix", without("frames", 0, "transform_matrix")),
        ("transform_matrix", set_to("frames", 0, "transform_matrix", 3, value=[0, 0, 0, 2])),
        ("transform_matrix", set_to("frames", 0, "transform_matrix", 0, 0, value=3.0)),
        ("transform_matrix", set_to("frames", 0, "transform_matrix", 2, value=[1, 2, 3])),
        ("json", set_to("frames", 0, "transform_matrix", 0, 3, value=math.nan)),
        ("ply_file_path", set_to("ply_file_path", value="none.ply")), ("fl_x", set_to("fl_x", value=5000.0)),
        ("frames.transform_matrix", _opencv_axes),
    ]
}

RULES["nerfstudio"]["0/sparse_pc.ply"] = [("ply_file_path", cut_to(-15), "0/transforms.json")]

RECORDS = "p1_train_colmap_trajectory_tour3d.json"
RULES["roomtour3d"] = {
    RECORDS: [
        ("path_id", without(0, "path_id")), ("path_id", same("path_id")), ("videoId", put(videoId="a/b")),
        ("videoId", put(videoId=3)), ("longId", put(longId="flat_m0|3%11")), ("longId", put(longId="flat_m0|3%17")),
        ("longId", put(longId="flat_m0|17")), ("longId", put(longId="flat_m0|17%3%3")),
        ("longId", put(longId="flat_m0-17-3")), ("longId", put(longId="flat_m9|17%3")),
        ("longId", put(longId="flat_m0|17%99")), ("longId", put(longId="flat_m0|24%9%2")),
        ("optView", without(0, "optView")), ("optView", put(optView="flat_output_frame_0018.png")),
        ("optView", lambda rows: rows[0].update(optView=rows[0]["path"][0])),
        ("path", lambda rows: rows[0].update(path=rows[0]["path"][2:5])),
        ("path", put(path=[f"flat_output_frame_{frame:04d}.png" for frame in range(9, 25)])),
        ("path", lambda rows: rows[0]["path"].insert(1, rows[0]["path"][1])), ("path", reverse(0, "path")),
        ("path", add(0, "path", value="home_output_frame_0022.png")),
        ("path", add(0, "path", value="flat_output_frame_0099.png")), ("path", without(0, "path")),
        ("heading", without(0, "heading")), ("heading", put(heading=90.0)), ("json", put(heading=math.nan)),
        ("heading", put(heading="1.57")), ("instructions", without(0, "instructions")),
        ("instructions", put(instructions=[])), ("instructions", put(instructions=["Go.", " "])),
        ("instructions", put(instructions=[3])), ("new_instructions", put(new_instructions=["Go."])),
        ("record", lambda rows: rows.append("no record")), ("file", GONE),
    ],
    "geo_trajectory.pkl": [
        ("colmapId", lambda content: content.update({"a|b": {}})),
        ("frame", lambda content: content["flat_m0"].update({"5": content["flat_m0"][5]})),
        ("path", without("flat_m0", 12), RECORDS), ("longId", without("flat_m0", 3), RECORDS),
        ("pos", without("flat_m0", 5, "pos")), ("pos", set_to("flat_m0", 5, "pos", value=[1.0, 2.0])),
        ("pos", set_to("flat_m0", 5, "pos", value=[1.0, 2.0, math.inf])),
        ("yaw", set_to("flat_m0", 5, "yaw", value=math.nan)), ("yaw", without("flat_m0", 5, "yaw")),
        ("pitch", set_to("flat_m0", 5, "pitch", value=91.0)), ("record", set_to("flat_m0", 5, value=[1, 2, 3])),
        ("heading", set_to("flat_m0", 9, "yaw", value=0.0), RECORDS), ("pickle", cut_to(200)), ("file", GONE),
    ],
    "p1_train_reformat.json": [
        ("videoId", put(videoId="a/b")), ("type", put(type="caption")), ("image_info", put(image_info=[])),
        ("image_info", put(image_info=[{"image_id": f"output_frame_{k:04d}.png"} for k in range(1, 38)])),
        ("image_info.image_id", put(image_info=[{"image_id": f"output_frame_{k:04d}.png"} for k in (2, 1)])),
        ("image_info.image_id", put(image_info=[{"image_id": "000001.jpg"}])),
        ("annotation", without(0, "annotation")),
        ("annotation.question_id", without(0, "annotation", 0, "question_id")),
        ("annotation.question_id", on(0, lambda row: twice(row["annotation"]))),
        ("annotation.question", set_to(0, "annotation", 0, "question", value="")),
        ("annotation.answers", set_to(0, "annotation", 0, "answers", value="You walk.")),
        ("annotation.answers", set_to(0, "annotation", 0, "answers", value=[""])), ("file", GONE),
    ],
}

RULES["roomtour3d with pictures"] = {
    f"frames/flat/output_frame_{frame:04d}.png": [("file", GONE)] for frame in (9, 17, 3, 1)
}
"""First of a path, choice, wrong candidate, described."""

SAME = "split, source_file, licence, software"
RULES["jsonl"] = {
    "instructions.jsonl": [
        ("text", without(0, "text")), ("seed", put(seed="7")), ("colour", put(colour="red")),
        ("kind", put(kind="poem")), ("licence", put(licence="")), ("tour", put(tour="other")),
        ("trajectory", put(trajectory="x")), ("objects", put(objects=["0_99"])), ("views", add(0, "views", value=31)),
        ("frame_times_s", reverse(0, "frame_times_s")), ("images", pop(0, "images")), ("text", put(text=" ")),
        ("record", put(rejected_because="no")), ("record", put(accepted=False)),
        ("scale_status", put(scale_status="relative")),
    ],
    "objects.jsonl": [
        (SAME, put(licence="MIT")), ("model", put(model="9")),
        ("observations.box_xyxy", reverse(0, "observations", 0, "box_xyxy")),
        ("observations", set_to(0, "observations", 0, "object", value="0_2")),
    ],
    "trajectories.jsonl": [
        ("points", reverse(0, "points")),
        ("points.position", lambda rows: rows[0]["points"][0].update(position=rows[0]["points"][9]["position"])),
        ("decisions", set_to(0, "decisions", 0, "negative_frames", value=[])),
        ("decisions", set_to(0, "decisions", 0, "positive_frame", value=99)),
        ("scale_status", put(scale_status="metric")),
    ],
    "scenes.jsonl": [
        ("models.camera", lambda rows: rows[0]["models"][0]["camera"]["params"].__setitem__(0, 5000.0)),
        ("split", put(split="test")), ("models.unit", set_to(0, "models", 0, "scale", "status", value="relative")),
        ("models.poses", set_to(0, "models", 0, "poses", 0, "time_s", value=9.5)),
        ("models.poses.quat_wxyz", set_to(0, "models", 0, "poses", 0, "quat_wxyz", value=[1, 1, 0, 0])),
        ("frames", reverse(0, "frames")), ("spatial_lines", set_to(0, "spatial_lines", 0, "frame", value=99)),
        ("floor_plans.model", set_to(0, "floor_plans", 0, "model", value="9")),
        ("rooms.model", set_to(0, "rooms", 0, "model", value="9")),
        ("rooms.frames", add(0, "rooms", 0, "frames", value=99)),
        ("doorways.rooms", set_to(0, "doorways", 0, "rooms", value=["0_r0", "0_r9"])),
        ("json", set_to(0, "models", 0, "floor_z", value=math.nan)), ("tour", twice),
    ],
    "training.jsonl": [
        ("views.heading_deg", without(0, "views", 0, "heading_deg")), ("views", reverse(0, "views")),
        ("trajectory", put(trajectory="x")), ("choices", add(0, "choices", value=99)),
        ("actions", lambda rows: rows[0]["actions"].insert(0, "jump")), ("actions", pop(0, "actions")),
        ("actions", put(unit="unit")),
    ],
}
for _name in ("instructions", "objects", "trajectories", "training"):
    RULES["jsonl"][f"{_name}.jsonl"] += [("id", twice), ("file", GONE), ("json", cut_to(-9))]

RULES["r2r"] = {
    "R2R_train.json": [
        ("path_id", without(0, "path_id")), ("path_id", put(path_id="one")), ("path_id", same("path_id")),
        ("scan", without(0, "scan")), ("scan", put(scan="other")), ("heading", without(0, "heading")),
        ("heading", put(heading=90.0)), ("json", put(heading=math.inf)), ("path", without(0, "path")),
        ("path", lambda rows: rows[0].update(path=rows[0]["path"][:1])), ("path", lambda rows: rows[1]["path"].pop(2)),
        ("path", set_to(0, "path", 1, value="nowhere")), ("instructions", without(0, "instructions")),
        ("instructions", put(instructions=[])), ("instructions", put(instructions=["a", "b", "c", "d"])),
        ("instructions", put(instructions=["Go.", " "])), ("distance", put(distance=-1)),
        ("distance", lambda rows: rows[0].update(distance=10 * rows[0]["distance"])),
    ],
    "connectivity/flat_m0_t0_connectivity.json": [
        ("image_id", without(0, "image_id")), ("image_id", same("image_id")), ("pose", without(0, "pose")),
        ("pose", pop(0, "pose")), ("pose", set_to(0, "pose", 0, value=7.0)), ("included", without(0, "included")),
        ("included", put(included="yes")), ("height", without(0, "height")), ("unobstructed", pop(0, "unobstructed")),
        ("unobstructed", set_to(0, "unobstructed", 0, value=True)),
        ("unobstructed", set_to(0, "unobstructed", -1, value=True)),
        ("unobstructed", lambda rows: [
            row.update(unobstructed=[False] * len(rows), visible=[False] * len(rows)) for row in rows
        ]),
        ("visible", set_to(0, "visible", -1, value=True)), ("visible", without(0, "visible")),
        ("viewpoints", lambda rows: rows.clear()), ("path", pop(), "R2R_train.json"),
    ],
    "scans.txt": [("scan", holding("other\n")), ("file", GONE)],
}

RULES["vlnce"] = {
    "train.json.gz": [
        ("episodes", without("episodes")), ("record", set_to("episodes", 0, value="x")),
        ("episode_id", without("episodes", 0, "episode_id")),
        ("episode_id", set_to("episodes", 0, "episode_id", value=2)),
        ("trajectory_id", without("episodes", 0, "trajectory_id")), ("scene_id", without("episodes", 0, "scene_id")),
        ("scene_id", set_to("episodes", 0, "scene_id", value="")),
        ("start_position", without("episodes", 0, "start_position")),
        ("start_position", set_to("episodes", 0, "start_position", value=[1.0, 2.0])),
        ("start_rotation", without("episodes", 0, "start_rotation")),
        ("start_rotation", set_to("episodes", 0, "start_rotation", value=[0, 0, 0, 2])),
        ("start_rotation", set_to("episodes", 0, "start_rotation", value=[0, 0, 0.6, 0.8])),
        ("reference_path", without("episodes", 0, "reference_path")),
        ("reference_path", set_to("episodes", 0, "reference_path", value=[])),
        ("reference_path", set_to("episodes", 0, "reference_path", 1, value=[1.0, None, 2.0])),
        ("reference_path", set_to("episodes", 0, "reference_path", 0, value=[9.0, 0.0, 9.0])),
        ("instruction", without("episodes", 0, "instruction")),
        ("instruction.instruction_text", set_to("episodes", 0, "instruction", "instruction_text", value="")),
        ("instruction.instruction_tokens", set_to("episodes", 0, "instruction", "instruction_tokens", value=[9999])),
        ("instruction.language", set_to("episodes", 0, "instruction", "language", value="en")),
        ("info.geodesic_distance", set_to("episodes", 0, "info", "geodesic_distance", value=18.0)),
        ("goals", without("episodes", 0, "goals")), ("goals", set_to("episodes", 0, "goals", value=[])),
        ("goals.position", without("episodes", 0, "goals", 0, "position")),
        ("goals.position", set_to("episodes", 0, "goals", 0, "position", value=[0.0, 9.0, 0.0])),
        ("goals.radius", without("episodes", 0, "goals", 0, "radius")),
        ("goals.radius", set_to("episodes", 0, "goals", 0, "radius", value=0)),
        ("goals.room", set_to("episodes", 0, "goals", 0, "room", value="kitchen")),
        ("heading", set_to("episodes", 0, "heading", value=1.0)),
        ("instruction_vocab.word_list", without("instruction_vocab")),
        ("instruction_vocab.word_list", set_to("instruction_vocab", "word_list", 0, value="walk ahead")),
        ("json", set_to("episodes", 0, "start_position", 0, value=math.nan)), ("json", cut_to(-20)),
        ("json", holding("not gzip")),
    ]
}

RULES["rerun"] = {
    "flat.rrd": [("recording", cut_to(-2000))],
    "export.json": [(name, set_to("counts", name, value=7)) for name in ("poses", "images", "points", "things")],
}
RULES["hf"] = {
    "views/train-00000.parquet": [
        ("tour", put(tour="")), ("model", put(model=None)), ("licence", put(licence=" ")),
        ("scale_status", put(scale_status="guessed")), ("unit", put(scale_status="relative")),
        ("frame", put(frame=2)), ("frame", put(frame=None)), ("time_s", put(time_s=math.nan)),
        ("elevation_deg", put(elevation_deg=None)), ("heading_deg", put(heading_deg=math.inf)),
        ("translation", put(translation=[1.0, 2.0])), ("quat_wxyz", put(quat_wxyz=[1.0, 1.0, 0.0, 0.0])),
        ("width", put(width=0)), ("camera_model", put(camera_model=None)), ("camera_params", put(camera_params=[])),
        ("image.bytes", put(image={"bytes": b"poem", "path": "a.jpg"})),
        ("image.bytes", put(image={"bytes": None, "path": "a.jpg"})), ("parquet", holding(b"PAR1 no more")),
    ],
    "instructions/train-00000.parquet": [
        ("id", put(id="flat_m0_t0_i1")), ("text", put(text="")), ("trajectory", put(trajectory=None)),
        ("kind", put(kind="poem")), ("views", put(views=[9])), ("views", put(views=[9, 12, 15, 17, 19, 99])),
        ("views", put(views=[12, 9, 15, 17, 19, 21])), ("frame_times_s", put(frame_times_s=[0.0])),
        ("headings_deg", put(headings_deg=[None] * 6)), ("positions", put(positions=[[0.0, 1.0]] * 6)),
    ],
    "README.md": [
        ("configs", words("---\nconfigs:", "configs:")), ("configs", words("configs:", "config: [")),
        ("configs", words("config_name: views", "config_name: pictures")),
        ("configs", words("split: train", "split: everything")),
        ("configs", words("views/train-*.parquet", "views/none-*.parquet")),
        ("configs", words("views/train-*.parquet", "../views/train-*.parquet")),
        ("configs", words("  data_files:\n", "  files:\n")),
    ],
}

RULES["streamvln"] = {
    "train/annotations.json": [
        *TYPES_OF_A_FILE, ("id", without(0, "id")), ("id", set_to(1, "id", value=1)),
        ("actions", without(0, "actions")), ("actions", set_to(0, "actions", 0, value=1)),
        ("actions", set_to(0, "actions", -1, value=0)), ("actions", set_to(0, "actions", 1, value=4)),
        ("actions", put(actions=[-1, 1, 1])), ("video", pop(0, "actions")), ("video", without(0, "video")),
        ("video", put(video="../x")), ("video", put(video="images/other")),
    ],
    "train/images/*/rgb/000003.jpg": [("video", GONE, "train/annotations.json")],
}

RULES["navila"] = {
    "train/annotations.json": [
        *TYPES_OF_A_FILE, ("video_id", without(0, "video_id")), ("video_id", same("video_id")), ("q", put(q=" ")),
        ("q", without(0, "q")), ("a", without(0, "a")), ("a", put(a="move forward 25 cm")),
        ("frames", without(0, "frames")), ("frames", put(frames=[])), ("frames", put(frames=["../x.jpg"])),
        ("frames", put(frames=["other/frame_0.jpg"])), ("frames", reverse(3, "frames")),
    ],
    "train/*/frame_1.jpg": [("frames", GONE, "train/annotations.json")],
}

_IDENTIFIER = "a video of historical observations and an image of the current observation"
RULES["uninavid"] = {
    "train/annotations.json": [
        *TYPES_OF_A_FILE, ("id", without(0, "id")), ("id", put(id="way_1")), ("video", without(0, "video")),
        ("video", put(video="../x.mp4")), ("video", put(video="nav_videos/none.mp4")),
        ("conversations", without(0, "conversations")), ("conversations", pop(0, "conversations")),
        ("conversations", reverse(0, "conversations")), ("conversations.from", without(0, "conversations", 0, "from")),
        ("conversations", set_to(0, "conversations", 0, "value", value="Where now? <image>")),
        ("conversations", set_to(0, "conversations", 1, "value", value="forward stop forward")),
    ],
    "train/nav_videos/*.mp4": [("video", cut_to(60), "train/annotations.json")],
}

_GOAL, _AHEAD, _POSE = "goal.150cm_0deg", "relative_goal_frame_id.150cm_0deg", "pose.150cm_0deg"
_EPISODE = "train/flat/data/chunk-000/episode_000000.parquet"
RULES["internnav"] = {
    "train/*/meta/episodes.jsonl": [
        ("episode_index", without(0, "episode_index")), ("episode_index", same("episode_index")),
        ("tasks", put(tasks=[])),
        ("tasks", put(tasks=["Go.<INSTRUCTION_SEP>"])), ("length", put(length=99)), ("length", put(length=3)),
        ("json", cut_to(-9)), ("file", GONE),
        ("parquet", put(episode_index=7), "train/flat/data/chunk-000/episode_000007.parquet"),
    ],
    _EPISODE: [
        ("action", put(action=1)), ("action", put(2, action=4)), (_POSE, put(0, **{_POSE: [[1.0, 0.0, 0.0, 0.0]]})),
        (_POSE, set_to(0, _POSE, 0, 3, value=math.nan)), (_GOAL, put(0, **{_GOAL: [3]})),
        (_GOAL, put(**{_GOAL: [3, 3], _AHEAD: -1})), (_AHEAD, put(**{_AHEAD: 0})),
        (_AHEAD, put(**{_AHEAD: 999, _GOAL: [3, 3]})), (_GOAL, put(**{_AHEAD: 3, _GOAL: [3, 9999]})),
        (_AHEAD, put(-1, **{_AHEAD: 1, _GOAL: [3, 3]})), ("parquet", GONE), ("parquet", cut_to(40)),
        ("length", without(-1), "train/flat/meta/episodes.jsonl"),
    ],
    "train/*/videos/chunk-000/*/episode_000000_2.jpg": [("picture", GONE, _EPISODE)],
    "train/*/videos/chunk-000/*/episode_000000_2.png": [("picture", GONE, _EPISODE)],
}

RULES["waypoints"] = {
    "waypoints_train.json": [
        *TYPES_OF_A_FILE, ("id", without(0, "id")), ("images", pop(0, "images")),
        ("images", put(images=["../x.jpg"] * 6)), ("images", put(images=["images/x.jpg"] * 6)),
        ("past", pop(0, "past")), ("waypoints", pop(0, "waypoints")), ("period_s", put(period_s=0.0)),
        ("scale_status", put(scale_status="relative")), ("scale_sigma", put(scale_sigma=-0.1)),
    ]
}

WALK = "trajectories/flat_m0_t0_0"
RULES["gnm"] = {
    f"{WALK}/traj_data.pkl": [
        ("position", without("position")),
        ("position", lambda content: content.update(position=np.full((30, 2), np.nan))), ("yaw", without("yaw")),
        ("yaw", lambda content: content.update(yaw=np.degrees(content["yaw"]))),
        ("images", lambda content: content.update(position=content["position"][:-1], yaw=content["yaw"][:-1]), WALK),
        ("metric_waypoint_spacing", lambda file: file.update(position=2 * file["position"]), "data_config.yaml"),
        ("pickle", holding(b"\x80\x03}no")),
    ],
    f"{WALK}/3.jpg": [("images", GONE, WALK)],
    "data_splits/train/traj_names.txt": [
        ("name", holding(""), WALK), ("name", line("other")), ("name", lambda text: text + text),
    ],
    "data_config.yaml": [("metric_waypoint_spacing", holding("roomtour: 3"))],
}

RULES["lerobot"] = {
    "meta/info.json": [
        ("codebase_version", set_to("codebase_version", value="v2.1")), ("fps", set_to("fps", value=0)),
        ("chunks_size", without("chunks_size")), ("data_files_size_in_mb", without("data_files_size_in_mb")),
        ("data_path", without("data_path")), ("video_path", without("video_path")),
        ("total_episodes", set_to("total_episodes", value=3)), ("total_frames", set_to("total_frames", value=3)),
        ("total_tasks", set_to("total_tasks", value=3)), ("splits", set_to("splits", value={"train": "0:1"})),
        ("features", without("features")), ("features", without("features", "action")),
        ("features.action", set_to("features", "action", "shape", value=[4])),
        ("features.action", set_to("features", "action", "dtype", value="float64")),
        ("features.timestamp", without("features", "timestamp", "names")),
        (f"features.{CAMERA}", set_to("features", CAMERA, "shape", value=[360, 640])),
        ("timestamp", set_to("fps", value=5), "data/chunk-000/file-000.parquet"), ("json", holding("PAR1")),
    ],
    "meta/stats.json": [
        ("action", without("action")), ("action", without("action", "std")),
        ("action", set_to("action", "mean", value=[0.0])), ("action", set_to("action", "mean", 0, value=99.0)),
        ("action", set_to("action", "count", value=[])), ("action", set_to("action", "mean", 0, value=0.2)),
        (STATE, set_to(STATE, "min", 2, value=0.1)), (STATE, set_to(STATE, "max", 0, value=50.0)),
        ("next.reward", set_to("next.reward", "std", 0, value=0.5)), ("index", set_to("index", "count", value=[30])),
        (CAMERA, set_to(CAMERA, "mean", value=[0.1, 0.1, 0.1])), (CAMERA, set_to(CAMERA, "mean", 2, 0, 0, value=0.6)),
        (CAMERA, set_to(CAMERA, "std", 0, 0, 0, value=0.3)), (CAMERA, set_to(CAMERA, "count", value=[31])),
        ("json", holding("PAR1")),
    ],
    "meta/tasks.parquet": [
        ("task", put(task="")), ("task", put(task="Turn left and walk to the end.")),
        ("task_index", put(task_index=5)), ("parquet", holding("PAR1")),
    ],
    "meta/episodes/chunk-000/file-000.parquet": [
        ("episode_index", put(episode_index=1)), ("dataset_from_index", put(dataset_from_index=1)),
        ("dataset_to_index", put(dataset_to_index=None)), ("length", put(length=12)),
        ("tasks", put(tasks=[])), ("tasks", put(tasks=["Fly."])),
        ("data/file_index", set_to(0, "data/file_index", value=3)),
        ("meta/episodes/file_index", set_to(0, "meta/episodes/file_index", value=None)), ("parquet", holding("PAR1")),
    ],
    "data/chunk-000/file-000.parquet": [
        ("index", put(index=7)), ("episode_index", put(episode_index=1)), ("frame_index", put(frame_index=1)),
        ("timestamp", put(timestamp=0.2)), ("timestamp", put(timestamp=None)), ("task_index", put(task_index=1)),
        (STATE, set_to(0, STATE, value=[0.0] * 7)), (STATE, set_to(0, STATE, value=[math.nan] * 7)),
        ("action", put(action=[math.inf] * 3)), ("action", put(5, action=[1.0, 0.0, 0.0])),
        (CAMERA, set_to(0, CAMERA, value=None)),
        (f"{CAMERA}.bytes", set_to(0, CAMERA, value={"bytes": b"poem", "path": ""})),
        ("parquet", holding("PAR1")),
    ],
}

# ------------------------------------------------------------- pictures, questions and talks

RULES["llava"] = {
    "ways_train.json": [
        ("id", without(0, "id")), ("id", same("id")), ("image", without(0, "image")), ("image", put(image=[])),
        ("image", set_to(0, "image", 0, value="/abs.jpg")), ("image", set_to(0, "image", 0, value="flat/999999.jpg")),
        ("image", put(image="flat/000009.jpg")), ("conversations", without(0, "conversations")),
        ("conversations", pop(0, "conversations")),
        ("conversations.from", set_to(0, "conversations", 0, "from", value="user")),
        ("conversations.from", reverse(0, "conversations")),
        ("conversations.value", set_to(0, "conversations", 1, "value", value=" ")),
        ("conversations.value", set_to(0, "conversations", 0, "value", value="<image>\nOne mark for six.")),
        ("conversations.value", set_to(0, "conversations", 1, "value", value="See <image>.")),
        ("conversations", add(0, "conversations", value={"from": "human", "value": "And?"})), *TYPES_OF_A_FILE,
    ],
    "views_train.json": TYPES_OF_A_FILE,
}

RULES["llava of videos"] = {
    "program_videos_train.json": [
        ("conversations.value", set_to(0, "conversations", 0, "value", value="<video><video>What?")),
        ("image", put(image=["a.jpg"])),
    ],
    "images/videos/home00*.mp4": [("video", GONE, "program_videos_train.json")],
}

def _no_box(row: dict[str, Any]) -> None:
    row["conversations"][0]["value"] = "<image>\nWhat is at [0.50, 0.20, 0.40, 0.90]?"

RULES["llava of boxes"] = {"regions_train.json": [("conversations.value", on(0, _no_box))]}

RULES["messages"] = {
    "train.jsonl": [
        ("id", without(0, "id")), ("messages", pop(0, "messages")), ("messages.role", reverse(0, "messages")),
        ("messages.content", set_to(0, "messages", 0, "content", value="No mark.")),
        ("messages.content", set_to(0, "messages", 1, "content", value="See <image>.")),
        ("images", put(images=["images/home1/999999.jpg"])), ("images", put(images=["/abs.jpg"])),
        ("text", set_to(0, "messages", 1, "content", value="Yes.<|im_end|>")),
        ("solution", put(solution=" ")), ("unit", put(unit="miles")), ("json", holding("{\n")), ("file", GONE),
    ],
    "dataset_info.json": [
        ("file_name", set_to("roomtour_train", "file_name", value="gone.jsonl")),
        ("formatting", set_to("roomtour_train", "formatting", value="alpaca")),
        ("columns.images", without("roomtour_train", "columns", "images")),
        ("tags", without("roomtour_train", "tags")),
    ],
}

RULES["messages of videos"] = {"videos/home00*.mp4": [("videos", GONE, "train.jsonl")]}

CALL = ("messages", 1, "tool_calls", 0, "function")
RULES["tool_calls"] = {
    "tool_calls_train.jsonl": [
        ("messages", pop(0, "messages")),
        ("messages.role", lambda rows: rows[0]["messages"].insert(0, {"role": "system", "content": "x"})),
        ("messages", set_to(0, "messages", 0, "content", value="no picture")),
        ("messages.tool_calls.function.name", set_to(0, *CALL, "name", value="other")),
        ("messages.tool_calls.function.arguments.things", set_to(0, *CALL, "arguments", "things", value=[])),
        ("images", put(images=["images/none.png"])), ("solution", put(solution=" ")),
        ("scale_status", put(scale_status="relative")),
    ]
}

RULES["spatialrgpt"] = {
    "train.json": [
        ("id", without(0, "id")), ("filename", lambda rows: rows[0].update(filename=rows[0]["filename"] + ".jpg")),
        ("filename", put(filename="home1/none")), ("filename", put(filename="/abs")),
        ("bbox", put(bbox=[[3, 3, 2, 9]])), ("rle", put(rle=[])), ("rle", set_to(0, "rle", 0, "counts", value="x")),
        ("conversations.value", add(0, "bbox", value=[0, 0, 1, 1])),
        ("conversations.value", set_to(0, "conversations", 0, "value", value="no <mask>")),
        ("conversations.from", reverse(0, "conversations")),
    ],
    "train_depth.json": [("conversations.value", set_to(0, "conversations", 0, "value", value="<image>\n<mask>?"))],
    "depths/*/*.png": [("filename", GONE, "train_depth.json")],
    "bench_train.json": [
        ("qa_info.category", set_to(0, "qa_info", "category", value="gap_data")),
        ("qa_info.type", set_to(0, "qa_info", "type", value="other")),
        ("image_info.file_path", set_to(0, "image_info", "file_path", value="home1/none.jpg")),
        ("bbox", set_to(0, "image_info", "width", value=20)),
        ("rle", set_to(0, "rle", 0, "size", value=[480, 641])), ("text_q", put(text_q="Is <mask> left?")),
    ],
    "bench_train.jsonl": [("file", GONE)],
}

RULES["vlmeval"] = {
    "mcq_train.tsv": [
        ("index", same("index")), ("id", same("id")), ("question", put(question=" ")), ("answer", put(answer="D")),
        ("A", put(A="")), ("A", lambda rows: rows[0].update(A=rows[0]["B"])), ("image", put(1, image="77")),
        ("columns", holding("index\tquestion\n")),
    ],
    "vqa_train.tsv": [("image", put(image="x" * 100)), ("answer", put(answer="")), ("file", GONE)],
}

def asked(choice: bool, **fields: Any) -> Break:
    """Other values in the first row that has options, or has none."""
    return on(lambda row: (row["options"] is not None) is choice, lambda row: row.update(fields))

RULES["vsibench"] = {
    "test.parquet": [
        ("id", same("id")), ("question", put(question=" ")), ("question_type", put(question_type="object_colour")),
        ("ground_truth", asked(True, ground_truth="E")), ("ground_truth", asked(False, ground_truth="2.5m")),
        ("options", asked(True, options=["left", "right"])), ("options", asked(True, options=["A. left", "B. left"])),
        ("options", asked(False, options=["A. 1", "B. 2"])), ("scene_name", put(scene_name="elsewhere")),
        ("parquet", holding("no table")),
    ],
    "roomtour/*.mp4": [("scene_name", holding("no video"), "test.parquet")],
}

RULES["verl"] = {
    "train.parquet": [
        ("extra_info.id", lambda rows: rows[1]["extra_info"].update(id=rows[0]["extra_info"]["id"])),
        ("extra_info.split", set_to(0, "extra_info", "split", value="val")),
        ("prompt", set_to(0, "prompt", -1, "content", value="no mark")),
        ("prompt.role", set_to(0, "prompt", -1, "role", value="assistant")),
        ("images.bytes", set_to(0, "images", 0, "bytes", value=b"x")), ("images", put(images=[])),
        ("reward_model.ground_truth", set_to(0, "reward_model", "ground_truth", value="2.5")),
        (
            "reward_model.ground_truth",
            set_to(0, "reward_model", "ground_truth", value='{"form": "label", "truth": "?"}'),
        ),
        ("data_source", put(data_source="")),
    ],
    "format_prompt.jinja": [("format_prompt", holding("Think.")), ("file", GONE)],
}

RULES["cambrian-p"] = {
    "train/train.jsonl": [
        ("id", same("id")), ("video", put(video="roomtour/none.mp4")),
        ("conversations.value", set_to(0, "conversations", 0, "value", value="What?")),
        ("conversations.from", reverse(0, "conversations")), ("json", cut_to(-9)), ("file", GONE),
    ],
    "train/poses.json": [
        ("json", holding("{}")), ("video", same("video")), ("video", put(video="roomtour/none.mp4")),
        ("video", pop(), "train/train.jsonl"), ("pose_path", put(pose_path="pose/none.npz")),
        ("rgb_relative_to", put(rgb_relative_to="results")), ("max_velocity", without(0, "max_velocity")),
        ("intrinsics_path", lambda rows: rows[0].update(intrinsics_path=rows[0]["pose_path"])),
    ],
    "train/pose/*.npz": [
        ("pose_path", archive(lambda data: data[:-1]), "train/poses.json"),
        ("pose_path", archive(lambda data: 2 * data), "train/poses.json"),
    ],
    "train/roomtour/*.mp4": [("video", holding("no film"), "train/poses.json")],
}

RULES["sprite"] = {
    "metainfo/0.json": [
        ("object_name", same("object_name")), ("obb.half_extents", set_to(0, "obb", "half_extents", 0, value=9.0)),
        ("obb.volume", set_to(0, "obb", "volume", value=9.0)),
        ("obb.sizes", set_to(0, "obb", "sizes", 0, value=-1.0)),
        ("obb.rotation", set_to(0, "obb", "rotation", value=[0.0, 0.0, 0.0, 1.0])),
        ("appear", add(0, "appear", value=99)),
    ],
    "camera_pose/0.json": [
        ("frame", lambda content: content.update({"77": content["1"]})), ("position", without("1", "position")),
    ],
    "objects/0.json": [("objects", set_to("ghost", value="chair"))],
    "objects_num/0.json": [("objects_num", lambda content: content.clear())],
    "image_metatinfo/0_frame_1.json": [("object_name", add(value={"object_name": "ghost"}))],
}

# ------------------------------------------------------------- regions

def numbered(change: Break) -> Break:
    """Change the first row that names a region."""
    return on(lambda row: "[" in json.dumps(row), change)

RULES["hf of regions"] = {
    "qars/train-00000.parquet": [
        (field, on(lambda row: "[" in row["question"], set_to(key, value=value)))
        for field, key, value in (
            ("boxes", "boxes", [[9.0, 9.0, 1.0, 1.0]]),
            ("question", "numbers", [77]),
            ("mentioned", "mentioned", [77]),
            ("objects", "objects", []),
            ("mode", "mode", "poem"),
            ("rationale", "rationale", ""),
        )
    ],
    "pairs/train-00000.parquet": [
        ("row", set_to(0, "row", value="none")),
        ("rejected", put(rejected="[77] is red.")), ("rejected", put(rejected="same", chosen="same")),
    ],
}

RULES["lskd"] = {
    "qars_train.jsonl": [
        ("image", numbered(set_to("image", value="home/none.jpg"))),
        ("image", numbered(set_to("image", value="../out.jpg"))),
        ("region", numbered(set_to("question", value=["What", "is", [77]]))),
        ("region_all", numbered(set_to("region_all", value=[]))),
        ("region_all", numbered(set_to("region_all", value=[0, 1, 2, 77]))),
        ("references.boxes", numbered(set_to("references", 0, "boxes", value=[[9, 9, 1, 1]]))),
        ("references", numbered(pop("references"))), ("answer", numbered(without("answer"))),
        ("reject_label", numbered(set_to("label", value=["accept"]))),
    ],
    "region_mapping.jsonl": [
        ("region_locations", put(region_locations=[])),
        ("region_locations.boxes", set_to(0, "region_locations", 0, "boxes", value=[[5, 5, 5, 9]])),
    ],
}

RULES["lskd-benchmark"] = {
    "vcr.jsonl": [
        ("answers", put(answers=["a", "b", "c"])), ("answers", put(answers=["a", "b", "c", "c"])),
        ("right_answer", put(right_answer=4)), ("right_rationale", put(right_rationale=7)),
        ("image", put(image="home/none.jpg")), ("boxes", put(boxes=[[9, 9, 1, 1]])),
    ],
    "comparison.jsonl": [("human", put(human=[1.0] * 10)), ("region", put(region=77))],
    "acc50.jsonl": [("right", put(right=50)), ("candidates", pop(0, "candidates"))],
    "pairwise.jsonl": [("systems", put(systems=["a", "a"])), ("answers", put(answers=["a"]))],
}

def boxed(change: Break) -> Break:
    """Change the first row with a box."""
    return on(lambda row: row["objects"]["bbox"], change)

RULES["swift"] = {
    "swift_train.jsonl": [
        ("objects.bbox", boxed(add("objects", "bbox", value=[0, 0, 5, 5]))),
        ("objects.ref", boxed(add("objects", "ref", value="x"))), ("images", boxed(add("images", value="a/b.jpg"))),
        ("objects.bbox_type", boxed(set_to("objects", "bbox_type", value="norm1"))),
        ("objects.bbox", boxed(set_to("objects", "bbox", 0, value=[5, 5, 1, 1]))),
        ("messages", boxed(add("messages", value={"role": "user", "content": "x"}))),
        ("id", boxed(set_to("id", value=""))),
    ]
}

RULES["osprey"] = {
    "osprey_train.json": [
        ("file_name", put(file_name="a/none.jpg")), ("file_name", put(file_name="a/b_c.jpg")),
        ("bbox", set_to(0, "annotation", 0, "bbox", value=[5, 5, 1, 1])),
        ("segmentation", set_to(0, "annotation", 0, "segmentation", "counts", value=[7])),
        ("annotation", on(0, lambda row: twice(row["annotation"]))),
        ("conversations.from", set_to(0, "conversations", 0, "from", value="cat")),
    ]
}

RULES["gar"] = {
    "gar_train.json": [
        *TYPES_OF_A_FILE, ("id", same("id")), ("image", put(image="images/flat/000003.jpg")),
        ("image", put(image="data/roomtour/images/none.jpg")), ("mask_rle", put(mask_rle=[])),
        ("mask_rle", set_to(0, "mask_rle", 0, "size", value=[360, 639])),
        ("mask_rle", set_to(0, "mask_rle", 0, "counts", value="\x01")),
        ("mask_rle", set_to(0, "mask_rle", 0, "counts", value=pack_runs(NOTHING)["counts"])),
        ("mask_rle", lambda rows: rows[0].update(mask_rle=rows[0]["mask_rle"] * 6)),
        ("conversations.value", lambda rows: twice(rows[0]["mask_rle"])),
        ("conversations.value", set_to(0, "conversations", 1, "value", value="<image>")),
        ("conversations", on(lambda row: "caption" in row["id"], lambda row: twice(row["mask_rle"]))),
    ]
}

RULES["videorefer"] = {
    "videorefer_train.json": [
        *TYPES_OF_A_FILE, ("id", without(0, "id")), ("video", put(video="videos/flat_m0.mp4")),
        ("video", put(video=["videos/none.mp4"])), ("height", put(height=100)), ("masks", put(masks=[])),
        ("masks", lambda rows: rows[0]["masks"][0].update({"99": rows[0]["masks"][0].pop("2")})),
        ("masks.2", set_to(0, "masks", 0, "2", "counts", value=pack_runs(NOTHING)["counts"])),
        ("conversations.value", lambda rows: rows[0]["masks"][0].pop("2")),
        ("conversations.value", set_to(0, "conversations", 1, "value", value="<video>")),
    ],
    "videos/*.mp4": [("video", holding("no film"), "videorefer_train.json")],
}

# ------------------------------------------------------------- dialogues and clouds

RULES["lamm"] = {
    "pictures_train.json": [
        ("task_type", put(task_type="captioning")), ("image", lambda rows: rows[0].update(pcl=rows[0].pop("image"))),
        ("image", put(image="images/none.jpg")), ("conversations", pop(0, "conversations")),
        ("conversations.value", set_to(0, "conversations", 0, "value", value="<image> What?")),
        ("conversations", set_to(0, "conversations", 1, "value", value="word " * 400)),
    ]
}

RULES["lamm-benchmark"] = {
    "meta_file/Counting.json": [
        ("id", same("id")), ("num", put(num=-1)), ("query", put(query=" ")), ("image", put(image="images/none.jpg")),
    ],
    "meta_file/VQA.json": [("gt_choice", put(gt_choice=9)), ("gt_choices", put(gt_choices=["a"]))],
    "meta_file/Lengths.json": [("interval", put(interval=[0.0, 0.001])), ("metres", put(metres=0))],
    "meta_file/Detection.json": [
        ("object", put(object=[])), ("object.bbox", set_to(0, "object", 0, "bbox", value=[0.1, 0.1, 0.2])),
    ],
    "meta_file/Grounding.json": [("object.bbox", set_to(0, "object", 0, "bbox", value=[0.9, 0.1, 0.2, 0.2]))],
    "meta_file/Detection3D.json": [
        ("pcl", put(pcl="clouds/none.npy")), ("object.bbox", set_to(0, "object", 0, "bbox", value=[0, 0, 0, 1, 1, 0])),
    ],
}

RULES["pointllm"] = {
    "objects_train.json": [
        ("object_id", put(object_id="nobody")), ("object_id", put(object_id="../x")),
        ("conversation_type", put(conversation_type="talk")),
        ("conversations.value", set_to(0, "conversations", 0, "value", value="What is this?")),
    ],
    "clouds/*.npy": [("object_id", OnFile(lambda path: np.save(path, np.load(path)[:100])), "objects_train.json")],
}

def scene(change: Any) -> Break:
    """Change the first scene; the function is given the name of its first picture as well."""

    def apply(content: dict[str, Any]) -> None:
        first = next(iter(content.values()))
        change(first, next(name for name in first if name.endswith((".jpg", ".png"))))

    return apply

RULES["llava3d"] = {
    "scenes_train.json": [
        ("video", put(video="roomtour/none")), ("id", same("id")), ("video", put(video="roomtour-scannet/frames")),
        ("answer_boxes", put(answer_boxes=[[0, 0, 0, 1, 1, 0]])), ("answer_boxes", put(answer_boxes=[[0, 0, 0, 1]])),
        ("target", put(target={"boxes": [[0, 0, 0, 1, 1, 1]]})),
    ],
    "scenes.json": [
        ("intrinsic", scene(lambda content, name: content.pop("intrinsic"))),
        ("frames.pose", scene(lambda content, name: content[name].update(pose=[[1] * 4] * 4))),
        ("frames.depth", scene(lambda content, name: content[name].update(depth="x/y.png"))),
        ("frames.name", scene(lambda content, name: content.update({"a/x.jpg": content.pop(name)}))),
        ("frames.name", lambda content: content.update({"other/x": content.pop(next(iter(content)))})),
    ],
}

RULES["embodiedscan"] = {
    "embodiedscan_infos_train.pkl": [
        ("file", GONE), ("pickle", holding(b"\x80\x03}no")), ("pickle", without("metainfo", "categories")),
        ("sample_idx", set_to("data_list", 0, "sample_idx", value="scannet/scene0000_00")),
        ("axis_align_matrix", set_to("data_list", 0, "axis_align_matrix", value=2.0 * np.eye(4))),
        ("cam2img", set_to("data_list", 0, "cam2img", value=np.eye(4).tolist())),
        ("depth_cam2img", without("data_list", 0, "depth_cam2img")),
        ("images.cam2global", set_to("data_list", 0, "images", 0, "cam2global", value=np.zeros((4, 4)))),
        ("images.img_path", set_to("data_list", 0, "images", 0, "img_path", value="roomtour/none.jpg")),
        ("images.depth_path", set_to("data_list", 0, "images", 0, "depth_path", value="../x.png")),
        ("images.visible_instance_ids", set_to("data_list", 0, "images", 0, "visible_instance_ids", value=[99])),
        ("instances.bbox_3d", set_to("data_list", 0, "instances", 0, "bbox_3d", 3, value=0.0)),
        ("instances.bbox_3d", pop("data_list", 0, "instances", 0, "bbox_3d")),
        ("instances.bbox_label_3d", set_to("data_list", 0, "instances", 0, "bbox_label_3d", value=99)),
        ("instances.bbox_id", set_to("data_list", 0, "instances", 0, "bbox_id", value=1)),
    ],
    "roomtour/*/*_depth.png": [("images.depth_path", GONE, "embodiedscan_infos_train.pkl")],
}
