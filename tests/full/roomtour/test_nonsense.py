"""Tours without a reconstruction: the camera stands, or only turns; or with one that rests on a plane alone.

They end with exit code 3 and are not exported.
"""

from pathlib import Path

import cv2
import numpy as np
import pytest

import roomtour
from roomtour.cli import main
from tests.support.one_line import one_line
from tests.support.tour_videos import make_textured, write_video

SIZE = (480, 270)
PICTURES = 80


def wall() -> np.ndarray:
    """A wide textured picture, the room as seen from one place."""
    rng = np.random.default_rng(3)
    out = np.full((1000, 2600, 3), 120.0)
    for scale in (5, 12, 40, 120):
        noise = rng.normal(0, 1, (1000 // scale + 2, 2600 // scale + 2, 3))
        out += 25 * cv2.resize(noise, (2600, 1000), interpolation=cv2.INTER_CUBIC)
    return np.clip(out, 0, 255).astype(np.uint8)


def turned(picture: np.ndarray, heading_deg: float, elevation_deg: float) -> np.ndarray:
    """What a camera on the spot sees of a picture 3 m away, by a homography: no parallax at all."""
    focal = 400.0
    yaw, pitch = np.radians([heading_deg, elevation_deg])
    about_y = np.array([[np.cos(yaw), 0, np.sin(yaw)], [0, 1, 0], [-np.sin(yaw), 0, np.cos(yaw)]])
    about_x = np.array([[1, 0, 0], [0, np.cos(pitch), -np.sin(pitch)], [0, np.sin(pitch), np.cos(pitch)]])
    inner = np.array([[focal, 0, SIZE[0] / 2], [0, focal, SIZE[1] / 2], [0, 0, 1]])
    wide = np.array([[900.0, 0, 1300], [0, 900.0, 500], [0, 0, 1]])
    return cv2.warpPerspective(picture, inner @ about_x @ about_y @ np.linalg.inv(wide), SIZE)


def standing(number: int, room: np.ndarray, seed: int) -> np.ndarray:
    """A hand that shakes, and two things that jump before the camera."""
    rng = np.random.default_rng(1000 * seed + number)
    image = turned(room, 0.4 * np.sin(number / 5) + rng.normal(0, 0.05), 0.3 * np.cos(number / 7))
    for k in range(2):
        x, y = int(130 + 160 * k + 40 * np.sin(number / 6 + k)), int(120 - 60 * abs(np.sin(number / 4 + 2 * k)))
        image[y : y + 80, x : x + 55] = room[300 + 90 * k : 380 + 90 * k, 100:155]
    return image


def turning(number: int, room: np.ndarray, seed: int) -> np.ndarray:
    """A camera that turns by 50 degrees on the spot."""
    return turned(room, -25 + 50 * number / PICTURES, 2.0 * np.sin(number / 9 + seed))


def along_wall(number: int, room: np.ndarray, seed: int) -> np.ndarray:
    """A camera that walks 7 m along the picture, 3 m away, and looks about: all it sees is one plane."""
    yaw = 0.12 * np.sin(number / 15 + seed)
    turn = np.array([[np.cos(yaw), 0, np.sin(yaw)], [0, 1, 0], [-np.sin(yaw), 0, np.cos(yaw)]])
    center = np.array([2.4 * number / PICTURES - 1.2, 0.05 * np.sin(number / 6), 0.25 * np.sin(number / 30)])
    inner = np.array([[400.0, 0, SIZE[0] / 2], [0, 400.0, SIZE[1] / 2], [0, 0, 1]])
    wide = np.array([[900.0, 0, 1300], [0, 900.0, 500], [0, 0, 1]])
    past_plane = np.eye(3) - np.outer(center, [0.0, 0.0, 1.0])  # the picture lies at z = 1
    return cv2.warpPerspective(room, inner @ turn @ past_plane @ np.linalg.inv(wide), SIZE)


def write(path: Path, picture_of, pictures: int = PICTURES, seed: int = 0) -> Path:
    room = wall()

    def film(number: int) -> np.ndarray:
        noise = np.random.default_rng(number).normal(0, 3, (SIZE[1], SIZE[0], 3))
        return np.clip(picture_of(number, room, seed) + noise, 0, 255).astype(np.uint8)

    return write_video(path, map(film, range(pictures)), rate=15)


@pytest.mark.parametrize("picture_of", [standing, turning])
def test_nothing_leaves(tmp_path, capsys, picture_of):
    video, run = write(tmp_path / "tour.mp4", picture_of, 50), tmp_path / "run"

    assert main(["process", str(video), "--out", str(run), "--workers", "1"]) == 3

    said = capsys.readouterr().out.splitlines()
    assert said[0].startswith("Do not trust: ")
    assert said[1].startswith("error: ")  # before the summary
    assert sum("a pose" in line for line in said) == 2  # the verdict and its finding; what to try also stands on stderr
    assert not [line for line in said if line.startswith("instructions")]  # neither "0 written" nor an empty file
    assert all(path.stat().st_size for path in roomtour.Run(run).files.values())
    assert not roomtour.Run(run).scene_outline.models
    told = [finding.message for finding in roomtour.Run(run).findings]
    advice = ("--sample.fps", "frames per second")  # more frames of it show no more
    assert not [message for message in told if any(word in message for word in advice)]
    assert main(["export", str(run), "--format", "tum", "--out", str(tmp_path / "out")]) == 1
    assert "--allow-errors" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("shots", [1, 3])
def test_a_still_or_a_slideshow_is_told_what_to_try(tmp_path, capsys, shots):
    video = write_video(tmp_path / "slides.mp4", [make_textured(number // 24) for number in range(24 * shots)])
    assert "try" in one_line(capsys, "process", str(video), "--out", str(tmp_path / "run"), code=3).lower()
    assert (tmp_path / "run" / "report.html").is_file()


def test_a_walk_along_one_plane_is_kept_under_an_error(tmp_path, capsys):
    video, run = write(tmp_path / "tour.mp4", along_wall), tmp_path / "run"

    flags = ["--perception", "landmarks", "--workers", "1"]
    assert main(["process", str(video), "--out", str(run), *flags]) == 3

    said = capsys.readouterr().out.splitlines()
    assert said[0].startswith("Do not trust: what its frames have in common lies on planes")
    kept = roomtour.Run(run)
    assert ("error", "sfm.planes_only") in {(finding.severity, finding.code) for finding in kept.findings}
    assert "sfm.no_parallax" not in {finding.code for finding in kept.findings if finding.severity != "info"}
    walked = np.array([pose.center for _, pose in sorted(kept.scene.models[0].world_from_cam.items())])
    spread = np.linalg.svd(walked - walked.mean(axis=0), compute_uv=False)
    assert 0.05 < spread[1] / spread[0] < 0.2  # a way along the wall, to and from it by a little: in truth 0.12
    assert main(["export", str(run), "--format", "tum", "--out", str(tmp_path / "out")]) == 1
    assert "--allow-errors" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
