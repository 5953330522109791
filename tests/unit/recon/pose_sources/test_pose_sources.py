"""Formats of given poses: what is read, in which convention, and one clear line for what is broken."""

import json

import numpy as np
import pycolmap
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from recon.conventions import opengl_pose
from recon.errors import ReconError
from recon.geometry import Pose
from recon.pose_sources.read import pose_files, read_pose_sources
from recon.pose_sources.records import Lens, rigid_pose
from tests.support.recon.made_models import CAMERA, walk_poses, walk_scene

POSES = walk_poses(6)


def write_tum(path, poses=POSES, start_s=0.0, step_s=0.1):
    lines = ["# t x y z qx qy qz qw"]
    for k, pose in enumerate(poses):
        w, x, y, z = pose.quat_wxyz
        lines.append(" ".join(repr(float(v)) for v in (start_s + k * step_s, *pose.center, x, y, z, w)))
    path.write_text("\n".join(lines) + "\n")
    return path


def write_colmap(folder, text=False, poses=POSES, cameras=None):
    """A model without points; `cameras` gives each image its own."""
    folder.mkdir(parents=True)
    model = pycolmap.Reconstruction()
    lenses = cameras or [CAMERA.to_colmap(1)]
    for lens in lenses:
        model.add_camera_with_trivial_rig(lens)
    for k, pose in enumerate(poses, start=1):
        camera_id = k if cameras else 1
        image = pycolmap.Image(name=f"frames/{k:06d}.jpg", camera_id=camera_id, image_id=k)
        model.add_image_with_trivial_frame(image, pose.inverse().to_rigid3d())
    model.write_text(folder) if text else model.write_binary(folder)
    return folder


def facts(poses=POSES):
    frames = [
        {"file_path": f"images/{k:06d}.jpg", "transform_matrix": opengl_pose(pose).matrix().tolist()}
        for k, pose in enumerate(poses, start=1)
    ]
    camera = {"camera_model": "OPENCV", "fl_x": 500.0, "fl_y": 500.0, "cx": 320.0, "cy": 180.0, "w": 640, "h": 360}
    return {**camera, "frames": frames}


def write_nerfstudio(folder, change=None):
    folder.mkdir(parents=True, exist_ok=True)
    values = facts()
    if change is not None:
        change(values)
    (folder / "transforms.json").write_text(json.dumps(values))
    return folder / "transforms.json"


def write_vipe(base, poses=POSES, inds=None, intrinsics=True, kind="PINHOLE"):
    for name in ("pose", "intrinsics"):
        (base / name).mkdir(parents=True, exist_ok=True)
    data = np.stack([pose.matrix() for pose in poses]).astype(np.float32)
    inds = np.arange(len(poses)) if inds is None else inds
    np.savez(base / "pose" / "tour.npz", data=data, inds=inds)
    if intrinsics:
        values = np.tile(np.array([500.0, 500.0, 320.0, 180.0], np.float32), (len(poses), 1))
        np.savez(base / "intrinsics" / "tour.npz", data=values, inds=inds)
        (base / "intrinsics" / "tour_camera.txt").write_text("".join(f"{k}: {kind}\n" for k in inds))
    return base / "pose" / "tour.npz"


def assert_same_walk(source, tolerance=1e-9):
    assert len(source.pictures) == len(POSES)
    for picture, want in zip(source.pictures, POSES, strict=True):
        assert np.abs(picture.world_from_cam.matrix() - want.matrix()).max() < tolerance


def test_tum(tmp_path):
    (source,) = read_pose_sources(write_tum(tmp_path / "walk.txt", start_s=3.0))
    assert_same_walk(source)
    assert [picture.time_s for picture in source.pictures] == pytest.approx([3.0, 3.1, 3.2, 3.3, 3.4, 3.5])
    assert source.lens is None


def test_colmap(subtests, tmp_path_factory):
    for text in [False, True]:
        for named in ["folder", "images file", "workspace"]:
            with subtests.test(text=text, named=named):
                tmp_path = tmp_path_factory.mktemp("case")
                model = write_colmap(tmp_path / "work" / "sparse" / "0", text)
                given_path = {"folder": model, "workspace": tmp_path / "work"}.get(
                    named, model / ("images.txt" if text else "images.bin")
                )
                (source,) = read_pose_sources(given_path)
                assert_same_walk(source)
                assert [picture.name for picture in source.pictures][:2] == ["frames/000001.jpg", "frames/000002.jpg"]
                assert source.lens == Lens(CAMERA.model, CAMERA.params, (CAMERA.width, CAMERA.height))


def test_colmap_with_a_camera_per_image_takes_the_median(tmp_path):
    cameras = []
    for k in range(1, 7):
        camera = CAMERA.to_colmap(k)
        camera.params = [500.0 + 10 * k, 320.0, 180.0, 0.0]
        cameras.append(camera)
    (source,) = read_pose_sources(write_colmap(tmp_path / "m", cameras=cameras))
    assert source.lens is not None
    assert source.lens.params == pytest.approx((535.0, 320.0, 180.0, 0.0))
    assert source.lens.spread == pytest.approx(50 / 535)


def test_colmap_leaves_images_without_a_pose_out(tmp_path):
    scene = walk_scene(frames=6, points=50)
    scene.deregister_frame(scene.image(4).frame_id)
    (tmp_path / "m").mkdir()
    scene.write_binary(tmp_path / "m")
    (source,) = read_pose_sources(tmp_path / "m")
    assert [picture.name for picture in source.pictures] == [f"{k:06d}.jpg" for k in (1, 2, 3, 5, 6)]


def test_nerfstudio_axes_are_turned(tmp_path):
    (source,) = read_pose_sources(write_nerfstudio(tmp_path))
    assert_same_walk(source)
    assert source.lens == Lens("OPENCV", (500.0, 500.0, 320.0, 180.0, 0.0, 0.0, 0.0, 0.0), (640, 360))


def read_lens_of(tmp_path, **words):
    """The lens of a file that says these words of it, and nothing else but its size."""

    def change(values):
        for name in ("camera_model", "fl_x", "fl_y", "cx", "cy"):
            del values[name]
        values.update(words)

    (source,) = read_pose_sources(write_nerfstudio(tmp_path, change))
    assert source.lens is not None
    return source.lens


def test_nerfstudio_lens_terms_project_as_their_writer_meant(tmp_path):
    focal = {"fl_x": 500.0, "fl_y": 510.0, "cx": 320.0, "cy": 180.0}
    x, y, k1, k2, k3, p1, p2 = 0.4, -0.3, 0.1, -0.05, 0.2, 0.01, -0.02
    lens = read_lens_of(tmp_path, **focal, k1=k1, k2=k2, k3=k3, p1=p1, p2=p2)
    r2 = x * x + y * y
    radial = 1 + k1 * r2 + k2 * r2**2 + k3 * r2**3
    distorted = np.array(
        [x * radial + 2 * p1 * x * y + p2 * (r2 + 2 * x * x), y * radial + p1 * (r2 + 2 * y * y) + 2 * p2 * x * y]
    )
    camera = lens.camera_for((640, 360), (640, 360), "x").to_colmap()
    assert camera.img_from_cam(np.array([x, y, 1.0])) == pytest.approx(distorted * [500, 510] + [320, 180])

    lens = read_lens_of(tmp_path, **focal, is_fisheye=True, k1=k1, k2=k2, k3=k3, k4=0.03)
    r = np.hypot(x, y)
    angle = np.arctan(r)
    bent = angle * (1 + k1 * angle**2 + k2 * angle**4 + k3 * angle**6 + 0.03 * angle**8)
    camera = lens.camera_for((640, 360), (640, 360), "x").to_colmap()
    assert camera.img_from_cam(np.array([x, y, 1.0])) == pytest.approx(
        np.array([x, y]) * bent / r * [500, 510] + [320, 180]
    )


def test_an_angle_of_view_stands_for_a_focal_length(tmp_path):
    wide = 2 * np.arctan(320 / 500)
    for words in ({"camera_angle_x": wide}, {"x_fov": np.degrees(wide)}, {"fl_x": 500.0, "camera_angle_x": wide}):
        assert read_lens_of(tmp_path, **words).params[:4] == pytest.approx((500.0, 500.0, 320.0, 180.0))
    both = read_lens_of(tmp_path, camera_angle_x=wide, camera_angle_y=2 * np.arctan(180 / 450))
    assert both.params[:4] == pytest.approx((500.0, 450.0, 320.0, 180.0))


def test_a_lens_per_frame_is_the_median_and_says_how_far_they_spread(tmp_path):
    def move(values):
        for k, frame in enumerate(values["frames"]):
            frame.update({name: values[name] for name in ("w", "h", "cx", "cy", "fl_y")}, fl_x=500.0 + k)
        for name in ("w", "h", "cx", "cy", "fl_x", "fl_y"):
            del values[name]

    (source,) = read_pose_sources(write_nerfstudio(tmp_path, move))
    assert source.lens is not None
    assert source.lens.size == (640, 360)
    assert source.lens.params[:4] == pytest.approx((502.5, 500.0, 320.0, 180.0))
    assert source.lens.spread == pytest.approx(5 / 502.5)


def test_poses_that_are_not_finite_are_left_out_and_counted(subtests, tmp_path):
    def lose(values):
        values["frames"][2]["transform_matrix"][0][3] = float("nan")

    tum = write_tum(tmp_path / "t.txt")
    lines = tum.read_text().splitlines()
    lines[3] = "0.2 nan nan nan nan nan nan nan"
    tum.write_text("\n".join(lines))
    matrices = [pose.matrix() for pose in POSES]
    matrices[2] = np.full((4, 4), np.nan)
    vipe = write_vipe(tmp_path)
    np.savez(vipe, data=np.stack(matrices), inds=np.arange(6))
    for path in (tum, write_nerfstudio(tmp_path / "n", lose), vipe):
        with subtests.test(path=path.name):
            (source,) = read_pose_sources(path)
            assert len(source.pictures) == 5
            (finding,) = source.findings
            assert (finding.code, finding.message.split(" poses")[0]) == ("poses.not_finite", "1 of 6")


def test_files_of_other_systems_and_recorders(subtests, tmp_path_factory):
    def upper(path):
        return write_tum(path / "t.txt").rename(path / "POSES.TXT")

    def mark_text(path):
        file = write_tum(path / "t.txt")
        file.write_bytes(b"\xef\xbb\xbf" + file.read_bytes().split(b"\n", 1)[1])
        return file

    def commas(path):
        file = write_tum(path / "t.txt")
        file.write_text(file.read_text().replace(" ", ", "))
        return file

    def twins(path):
        write_tum(path / "0.txt")
        (path / "._0.txt").write_bytes(b"\0\5\x16\7")
        return path

    def mark_json(path):
        file = write_nerfstudio(path)
        file.write_bytes(b"\xef\xbb\xbf" + file.read_bytes())
        return file

    for make in (upper, mark_text, commas, twins, mark_json):
        with subtests.test(make=make.__name__):
            (source,) = read_pose_sources(make(tmp_path_factory.mktemp("case")))
            assert_same_walk(source)


def test_nanoseconds_are_told_from_seconds(tmp_path):
    for start, times_s in ((1.0e17, 1.0e8), (9.9e16, 9.9e16)):
        file = tmp_path / "t.txt"
        file.write_text(f"{start:.0f} 0 0 0 0 0 0 1\n{start + 1e8:.0f} 1 0 0 0 0 0 1\n")
        (source,) = read_pose_sources(file)
        assert source.pictures[0].time_s == pytest.approx(times_s)
        assert [finding.code for finding in source.findings] == ["poses.nanoseconds"] * (start >= 1e17)


def test_a_colmap_model_needs_no_points(subtests, tmp_path):
    scene = walk_scene(frames=6, points=50)
    for write, suffix in ((scene.write_binary, ".bin"), (scene.write_text, ".txt")):
        with subtests.test(suffix=suffix):
            folder = tmp_path / suffix
            folder.mkdir()
            write(folder)
            (whole,) = read_pose_sources(folder)
            (folder / f"points3D{suffix}").unlink()
            (bare,) = read_pose_sources(folder)
            assert bare.lens == whole.lens
            assert [picture.name for picture in bare.pictures] == [f"{k:06d}.jpg" for k in range(1, 7)]
            for picture, image_id in zip(bare.pictures, sorted(scene.reg_image_ids()), strict=True):
                want = scene.image(image_id).cam_from_world().inverse().matrix()
                assert np.abs(picture.world_from_cam.matrix()[:3] - want).max() < 1e-9


def test_nerfstudio_moves_of_a_converter_are_undone(tmp_path):
    turn = Pose(Rotation.from_euler("xyz", [90, 20, -40], degrees=True).as_matrix(), np.array([1.0, -2.0, 0.5]))

    def moved(values):
        values["applied_transform"] = turn.matrix()[:3].tolist()
        values["applied_scale"] = 0.25
        for frame in values["frames"]:
            matrix = turn.matrix() @ np.array(frame["transform_matrix"])
            matrix[:3, 3] *= 0.25
            frame["transform_matrix"] = matrix.tolist()

    (source,) = read_pose_sources(write_nerfstudio(tmp_path, moved))
    assert_same_walk(source)


def test_vipe(subtests, tmp_path):
    for named in ["file", "folder"]:
        with subtests.test(named=named):
            file = write_vipe(tmp_path, inds=np.array([0, 1, 2, 5, 6, 9]))
            (source,) = read_pose_sources(file if named == "file" else tmp_path)
            assert_same_walk(source, 1e-6)
            assert [picture.position for picture in source.pictures] == [0, 1, 2, 5, 6, 9]
            assert source.lens == Lens("PINHOLE", (500.0, 500.0, 320.0, 180.0), None)


def test_vipe_without_intrinsics(tmp_path):
    (source,) = read_pose_sources(write_vipe(tmp_path, intrinsics=False))
    assert source.lens is None


def test_nothing_in_a_vipe_file_is_executed(tmp_path):
    (tmp_path / "pose").mkdir()
    np.savez(tmp_path / "pose" / "t.npz", data=np.array([{"a": 1}], dtype=object), inds=np.array([0]))
    with pytest.raises(ReconError, match="no ViPE file"):
        read_pose_sources(tmp_path / "pose" / "t.npz")


def test_a_folder_of_several_worlds_as_our_exports_write_them(tmp_path):
    (tmp_path / "README.md").write_text("")
    for k in (10, 2, 0):
        write_tum(tmp_path / f"{k}.txt")
    assert [path.name for _, path in pose_files(tmp_path)] == ["0.txt", "2.txt", "10.txt"]
    for k in (0, 1):
        write_colmap(tmp_path / "models" / str(k))
    assert [path.name for _, path in pose_files(tmp_path / "models")] == ["0", "1"]


def break_line(text):
    def write(path):
        file = write_tum(path / "t.txt")
        lines = file.read_text().splitlines()
        lines[2] = text
        file.write_text("\n".join(lines))
        return file

    return write


def changed(change):
    return lambda path: write_nerfstudio(path, change)


def matrix_of(values):
    return np.array(values["frames"][1]["transform_matrix"])


def set_matrix(make):
    def change(values):
        values["frames"][1]["transform_matrix"] = make(matrix_of(values)).tolist()

    return changed(change)


def made(name, content):
    def write(path):
        (path / name).write_bytes(content)
        return path / name

    return write


def cut_images(path):
    folder = write_colmap(path / "m")
    data = (folder / "images.bin").read_bytes()
    (folder / "images.bin").write_bytes(data[: len(data) // 2])
    return folder


def lose_cameras(path):
    folder = write_colmap(path / "m")
    (folder / "cameras.bin").unlink()
    return folder


def test_what_is_broken_is_told_in_one_line(subtests, tmp_path_factory):
    for make, words in [
        (lambda path: path / "none", "no such file or folder"),
        (lambda path: path, "no poses in this folder"),
        (made("a.mp4", b"x"), "unknown kind of file"),
        (made("t.txt", b"# nothing\n"), "holds no pose"),
        (made("t.txt", b"\xff\xfe\x00bad"), "no text in UTF-8"),
        (break_line("0.1 1 2 3 0 0 0"), r"line 3: 7 values, need 8"),
        (break_line("0.1 1 2 3 0 0 x 1"), "line 3: .*'x'"),
        (made("t.txt", b"0.1 1 2 nan 0 0 0 1\n"), "holds no pose"),
        (break_line("0.1 1 2 3 0 0 0 2"), "line 3: quaternion .* length 2"),
        (break_line("-5 1 2 3 0 0 0 1"), "line 3: time -5 is not later"),
        (made("transforms.json", b"{"), "is not a transforms.json"),
        (made("transforms.json", b"[]"), "is not a transforms.json"),
        (changed(lambda values: values.pop("fl_x")), "lacks the field 'fl_x'"),
        (changed(lambda values: values.update(frames=[])), "holds no frame"),
        (changed(lambda values: values.update(applied_scale=0)), "applied_scale is 0"),
        (set_matrix(lambda m: m @ np.diag([1, 1, -1, 1])), r"frames\[1\].* left-handed"),
        (set_matrix(lambda m: m @ np.diag([2, 2, 2, 1])), "not rigid: scaled by 2"),
        (set_matrix(lambda m: m @ np.diag([1, 1, 1.1, 1])), "not rigid: R R"),
        (set_matrix(lambda m: m.T), "last row .* transposed"),
        (set_matrix(lambda m: m[:2]), r"shape \(2, 4\)"),
        (changed(lambda values: values.update(k4=0.01)), "OPENCV has no k4 0.01"),
        (changed(lambda values: values.update(k3=0.01, k4=0.01)), "OPENCV has no k3 0.01, k4 0.01"),
        (changed(lambda values: values.update(is_fisheye=True)), "camera_model 'OPENCV' and is_fisheye True"),
        (changed(lambda values: values.update(camera_model="OPENCV_FISHEYE", p1=0.1)), "OPENCV_FISHEYE has no p1"),
        (changed(lambda values: values.update(camera_model="EQUIRECTANGULAR")), "camera_model 'EQUIRECTANGULAR'"),
        (changed(lambda values: values.update(ftheta_p0=0.5)), "has ftheta_p0, which cannot be read"),
        (changed(lambda values: values.update(rolling_shutter=[0.0, 0.0, 0.3, 0.0])), "has rolling_shutter"),
        (changed(lambda values: values.update(camera_angle_x=0.5)), "fl_x means .* 500.0 px, camera_angle_x"),
        (
            changed(lambda values: values["frames"][2].update(fl_x=510.0)),
            r"frames\[2\] has fl_x 510.0, the file",
        ),
        (changed(lambda values: values["frames"][2].update(k3=0.1)), r"frames\[0\] is OPENCV .*frames\[2\] FULL_"),
        (lambda path: write_vipe(path, kind="MEI"), "camera type MEI"),
        (lambda path: write_vipe(path, inds=np.array([0, 1, 2, 3, 3, 4])), "`inds` must rise"),
        (lambda path: write_vipe(path, inds=np.arange(6) + 0.5), "`inds`.* do not number"),
        (made("x.npz", b"PK\x03\x04 no zip"), "no ViPE file"),
        (cut_images, "no COLMAP model"),
        (lose_cameras, "cameras.bin is missing"),
    ]:
        with subtests.test(words=words):
            tmp_path = tmp_path_factory.mktemp("case")
            path = make(tmp_path)
            with pytest.raises(ReconError, match=words) as caught:
                read_pose_sources(path)
            assert "\n" not in str(caught.value)
            assert str(path.name) in str(caught.value) or "transforms.json" in str(caught.value)


def test_two_formats_in_a_folder_need_a_word(tmp_path):
    write_tum(tmp_path / "0.txt")
    write_nerfstudio(tmp_path / "0")
    with pytest.raises(ReconError, match=r"nerfstudio and tum.*--pose-source\.format"):
        read_pose_sources(tmp_path)
    (source,) = read_pose_sources(tmp_path, "nerfstudio")
    assert source.format == "nerfstudio"


@given(st.integers(0, 2**32 - 1), st.integers(4, 9))
@settings(max_examples=50, deadline=None)
def test_rounded_matrices_are_mended(seed, digits):
    rng = np.random.default_rng(seed)
    true = Pose(Rotation.random(rng=rng).as_matrix(), rng.normal(0, 5, 3))
    back = rigid_pose(np.round(true.matrix(), digits), "row 1")
    assert back is not None
    assert np.abs(back.matrix() - true.matrix()).max() < 3 * 10.0**-digits


def test_a_lens_is_for_the_pictures_it_says():
    lens = Lens("PINHOLE", (1000.0, 1000.0, 960.0, 540.0), (1920, 1080))
    camera = lens.camera_for((640, 360), (3840, 2160), "x")
    assert (camera.width, camera.height) == (640, 360)
    assert camera.params == pytest.approx((1000 / 3, 1000 / 3, 320.0, 180.0))
    own = Lens("PINHOLE", (1000.0, 1000.0, 960.0, 540.0)).camera_for((640, 360), (1920, 1080), "x")
    assert own.params == pytest.approx(camera.params)
    with pytest.raises(ReconError, match=r"1920x1080, the frames are 360x640.* turned by a quarter"):
        lens.camera_for((360, 640), (1080, 1920), "x")
    with pytest.raises(ReconError, match="do not fit"):
        Lens("PINHOLE", (50.0, 50.0, 96.0, 54.0)).camera_for((640, 360), (1920, 1080), "x")
