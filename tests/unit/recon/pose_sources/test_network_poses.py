"""Poses in the files of networks: their conventions, which pictures they number, and what their lens is for."""

import base64
import contextlib
import json
import zipfile
import zlib
from pathlib import Path

import numpy as np
import pycolmap
import pytest

from recon.errors import ReconError
from recon.pose_sources.depth import decode_exr
from recon.pose_sources.match import PictureIndex, match_poses
from recon.pose_sources.read import read_pose_sources
from recon.pose_sources.records import Lens
from recon.records import Frame
from tests.support.recon.made_models import walk_poses

POSES = walk_poses(6)
WORLD_FROM_CAM = np.stack([pose.matrix() for pose in POSES])
CAM_FROM_WORLD = np.linalg.inv(WORLD_FROM_CAM)
SIZE = (518, 294)
"""What a network makes of 640 x 360: 518 x 291.4, its height rounded to tiles of 14."""
K = np.tile(np.array([[400.0, 0.0, 259.0], [0.0, 404.0, 147.0], [0.0, 0.0, 1.0]]), (6, 1, 1))
DEPTH = np.full((6, SIZE[1], SIZE[0]), 2.0, np.float32)
EXR = zlib.decompress(
    base64.b85decode(
        "c-kw|H)LdDU|>kjNX*Mi%_#;lax#lc7=(dhQ4EX>5Won<49WSq1x2aF#hLkeC~S}<b4p@KVt8g=N`5&*QhtR|CW8P20+;}?3J|Ac"
        "78m3sRuWW~lbM(5UzCzsgv0_np&+v&HOH~IAT_xpD6u3npCK(LKe2>?1+2TlzBsukH8l@nymM+^2~b;^Q5pjWk`>5G!ZTA!GSG}D"
        "sVqokC@v|=%u8qB1*=cY134lyH!(ex!3!EFxlnpCBf?~9Ag+i@&X8bToFEdwEptf8jLYqyh5|nW!`&19A3*+;!&Gv`QC4hYpaItl"
        "Mur;~{NE`6Rfxe=@qz&RhK^nj1_p%(92Wr7o@Q4"
    )
)
"""53 x 37, one channel Z of half floats, ZIP: 3 in the upper 20 lines, 2 below; written by OpenEXR 3.5."""


def write_depth_anything(folder: Path) -> Path:
    out = folder / "exports" / "mini_npz"
    out.mkdir(parents=True)
    np.savez(out / "results.npz", depth=DEPTH, conf=DEPTH, extrinsics=CAM_FROM_WORLD[:, :3], intrinsics=K)
    return folder


def write_streamed(folder: Path) -> Path:
    np.savetxt(folder / "camera_poses.txt", WORLD_FROM_CAM.reshape(6, 16))
    np.savetxt(folder / "intrinsic.txt", K[:, [0, 1, 0, 1], [0, 1, 2, 2]])
    return folder


def write_cameras(folder: Path) -> Path:
    rows = [{"frame": k, "c2w": WORLD_FROM_CAM[k, :3].tolist(), "K": K[k].tolist()} for k in range(6)]
    (folder / "cameras.json").write_text(json.dumps(rows[::-1]))
    np.savez(folder / "predictions.npz", extrinsic=WORLD_FROM_CAM[:, :3], intrinsic=K)
    return folder


def write_predictions(folder: Path) -> Path:
    np.savez(folder / "predictions.npz", extrinsic=WORLD_FROM_CAM, intrinsic=K, depth=DEPTH[..., None])
    return folder / "predictions.npz"


def write_points(folder: Path) -> Path:
    """The same names with cam_from_world, as VGGT writes them, and points that tell so."""
    y, x = np.mgrid[0 : SIZE[1], 0 : SIZE[0]] + 0.5
    rays = np.stack([x, y, np.ones_like(x)], axis=-1) @ np.linalg.inv(K[0]).T * 2.0
    points = np.stack([rays @ matrix[:3, :3].T + matrix[:3, 3] for matrix in WORLD_FROM_CAM])
    np.savez(
        folder / "predictions.npz",
        extrinsic=CAM_FROM_WORLD[:, :3],
        intrinsic=K,
        depth=DEPTH[..., None],
        world_points=points.astype(np.float32),
    )
    return folder / "predictions.npz"


def test_each_form_holds_the_same_walk(subtests, tmp_path_factory):
    for write in (write_depth_anything, write_streamed, write_cameras, write_predictions, write_points):
        with subtests.test(write.__name__):
            (source,) = read_pose_sources(write(tmp_path_factory.mktemp("case")))
            assert [picture.position for picture in source.pictures] == [0, 1, 2, 3, 4, 5]
            for picture, want in zip(source.pictures, WORLD_FROM_CAM, strict=True):
                assert picture.world_from_cam.matrix() == pytest.approx(want, abs=1e-6)
            assert source.lens == Lens("PINHOLE", (400.0, 404.0, 259.0, 147.0), SIZE, is_prepared=True)


def test_a_model_below_the_folder_a_tool_was_told(subtests, tmp_path_factory):
    for below, size in (("rec", (640, 360)), ("sparse", SIZE)):
        with subtests.test(below):
            folder = tmp_path_factory.mktemp("case")
            (folder / below).mkdir()
            model = pycolmap.Reconstruction()
            for k, matrix in enumerate(CAM_FROM_WORLD, start=1):
                lens = pycolmap.Camera(camera_id=k, model="PINHOLE", width=size[0], height=size[1])
                lens.params = [400.0 + k, 400.0, size[0] / 2, size[1] / 2]
                model.add_camera_with_trivial_rig(lens)
                image = pycolmap.Image(name=f"{k:06d}.jpg", camera_id=k, image_id=k)
                model.add_image_with_trivial_frame(image, pycolmap.Rigid3d(matrix[:3]))
            model.write_binary(folder / below)
            (source,) = read_pose_sources(folder)
            assert source.lens is not None
            assert source.lens.is_prepared is (size == SIZE)
            assert source.lens.spread == pytest.approx(5 / 403.5)


def test_a_lens_of_a_resized_or_cut_picture_is_that_of_the_whole(subtests):
    """Rays through a network's pixel and through the pixel of the tour that it shows are the same."""
    stretched = Lens("PINHOLE", (400.0, 404.0, 259.0, 147.0), SIZE, is_prepared=True)
    cut = Lens("PINHOLE", (400.0, 400.0, 259.0, 259.0), (518, 518), is_prepared=True)  # of 540 x 960, made 518 x 921
    scale = 518 / 540
    for lens, whole, shown, own in (
        (stretched, (640, 360), (100.0, 200.0), (100 * 518 / 640, 200 * 294 / 360)),
        (cut, (540, 960), (100.0, 600.0), (100 * scale, 600 * scale - (960 * scale - 518) / 2)),
    ):
        with subtests.test(whole=whole):
            camera = lens.camera_for(whole, whole, "x")
            fx, fy, cx, cy = lens.params
            assert (camera.width, camera.height) == whole
            assert camera.rays(shown)[0] == pytest.approx([(own[0] - cx) / fx, (own[1] - cy) / fy, 1.0])


def test_poses_are_of_each_so_many_th_picture_where_only_that_fits(tmp_path):
    (source,) = read_pose_sources(write_depth_anything(tmp_path))
    for total, every in ((6, 1), (12, 2), (16, 3)):
        times_s = tuple(k / 10 for k in range(total))
        frames = [Frame(k + 1, time_s, f"{k + 1:06d}.jpg", 640, 360, 1.0, 0) for k, time_s in enumerate(times_s)]
        matched = match_poses(source, frames, PictureIndex(times_s))
        assert matched.every == every
        own = {frame: pose for frame, pose in matched.world_from_cam.items() if (frame - 1) % every == 0}
        assert np.stack([pose.matrix() for pose in own.values()]) == pytest.approx(WORLD_FROM_CAM, abs=1e-6)
    with pytest.raises(ReconError, match="6 poses, the tour has 60 pictures"):
        match_poses(source, frames, PictureIndex(tuple(k / 10 for k in range(60))))


def test_what_does_not_fit_is_told_in_one_line(subtests, tmp_path):
    def save(**arrays):
        np.savez(tmp_path / "results.npz", **arrays)
        return tmp_path / "results.npz"

    for make, words in (
        (lambda: save(extrinsics=CAM_FROM_WORLD[:, :3], intrinsics=K), "needs `extrinsics`, `intrinsics`, `depth`"),
        (
            lambda: save(extrinsics=CAM_FROM_WORLD[:, :3], intrinsics=K[:5], depth=DEPTH),
            r"shape \(5, 3, 3\), need",
        ),
        (lambda: save(extrinsics=CAM_FROM_WORLD[:, :3] * 2, intrinsics=K, depth=DEPTH), "not rigid: scaled by 2"),
        (lambda: save(extrinsic=CAM_FROM_WORLD[0], intrinsic=K), r"extrinsic has shape \(4, 4\)|need one matrix"),
    ):
        with subtests.test(words=words), pytest.raises(ReconError, match=words) as caught:
            read_pose_sources(make())
        assert "\n" not in str(caught.value)
    (tmp_path / "cameras.json").write_text('[{"frame": 0}]')
    with pytest.raises(ReconError, match=r"is no cameras\.json"):
        read_pose_sources(tmp_path / "cameras.json")


def test_depth_beside_poses_is_that_of_the_frames_pixel(subtests, tmp_path):
    """Maps whose values are their own columns: resized as a whole, cut about the middle, and of a part of the video."""
    maps = np.tile(np.arange(1, SIZE[0] + 1, dtype=np.float32), (6, SIZE[1], 1)) + 1000 * np.arange(6)[:, None, None]
    maps[:, :, :14] = np.nan
    cut = np.tile(np.arange(1, 519, dtype=np.float32), (6, 518, 1))
    for name, depth, picture in (("whole", maps, (640, 360)), ("cut", cut, (540, 960))):
        with subtests.test(name):
            np.savez(tmp_path / "results.npz", depth=depth, extrinsics=CAM_FROM_WORLD[:, :3], intrinsics=K)
            (source,) = read_pose_sources(tmp_path / "results.npz")
            assert source.depth is not None
            found = source.depth.sample(5, picture, picture, 4)
            assert found is not None
            assert found.shape == (-(-picture[1] // 4), -(-picture[0] // 4))
            x = (np.arange(0, picture[0], 4) + 0.5) * depth.shape[2] / picture[0]
            middle = np.floor(x) + 1 + (5000 if name == "whole" else 0)
            known = np.isfinite(found[len(found) // 2])
            assert found[len(found) // 2][known] == pytest.approx(middle[known])
            assert known.mean() > 0.95
            assert np.isfinite(found[0]).any() == (name == "whole")  # nothing above a cut
    assert source.depth.sample(6, (540, 960), (540, 960), 4) is None


def test_depth_of_vipe_is_an_archive_of_exr_pictures(tmp_path):
    for below in ("pose", "depth"):
        (tmp_path / below).mkdir()
    np.savez(tmp_path / "pose" / "tour.npz", inds=np.arange(6), data=WORLD_FROM_CAM)
    with zipfile.ZipFile(tmp_path / "depth" / "tour.zip", "w") as archive:
        archive.writestr("00002.exr", EXR)
        archive.writestr("00003.exr", EXR[:300])
    (source,) = read_pose_sources(tmp_path)
    assert source.depth is not None
    found = source.depth.sample(2, (53, 37), (53, 37), 1)
    np.testing.assert_array_equal(found, np.repeat([[3.0], [2.0]], [20, 17], axis=0) * np.ones((37, 53)))
    assert source.depth.sample(1, (53, 37), (53, 37), 1) is None
    with pytest.raises(ReconError, match="depth cannot be read: damaged OpenEXR"):
        source.depth.sample(3, (53, 37), (53, 37), 1)


def test_streamed_depth_lies_in_a_file_for_each_picture(tmp_path):
    (tmp_path / "results_output").mkdir()
    np.savez(tmp_path / "results_output" / "frame_4.npz", depth=DEPTH[0], conf=DEPTH[0])
    (source,) = read_pose_sources(write_streamed(tmp_path))
    assert source.depth is not None
    before = source.depth.digest()
    assert source.depth.sample(4, (640, 360), (640, 360), 4) == pytest.approx(np.full((90, 160), 2.0))
    assert source.depth.sample(3, (640, 360), (640, 360), 4) is None
    np.savez(tmp_path / "results_output" / "frame_3.npz", depth=DEPTH[0])
    assert source.depth.digest() != before


def test_damaged_exr_is_refused_as_one_kind_of_error():
    rng = np.random.default_rng(0)
    for size in range(0, len(EXR) - 40, 9):
        with pytest.raises(ValueError, match=r"EXR|index|subsection|buffer|reshape"):
            decode_exr(EXR[:size])
    for _ in range(200):
        data = bytearray(EXR)
        data[rng.integers(len(data))] ^= int(rng.integers(1, 256))
        with contextlib.suppress(ValueError):
            decode_exr(bytes(data))
