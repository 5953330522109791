import hashlib
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest

from recon.errors import ReconError
from recon.video.container import Clock, presentation_times
from recon.video.decode import VideoSource
from tests.support.recon.made_videos import (
    Made,
    corners,
    flat,
    pan,
    quadrant_colours,
    texture,
    write_sound,
    write_video,
)


def decode(path: Path, short_side: int = 360):
    with VideoSource(path, short_side) as source:
        pictures = [(picture.time_s, picture.image_rgb()) for picture in source.pictures()]
        return pictures, source.info(), source.findings()


def codes(findings) -> set[str]:
    return {finding.code for finding in findings}


def test_times_are_the_files_and_not_index_over_rate(tmp_path):
    times_s = [0.0, 0.04, 0.20, 0.21, 0.50, 1.25]
    path = write_video(tmp_path / "vfr.mp4", flat(range(0, 240, 40)), Made(times_s=times_s))
    pictures, info, findings = decode(path)
    assert [time_s for time_s, _ in pictures] == pytest.approx(times_s, abs=1e-4)
    assert info.frame_count == 6
    assert info.duration_s == pytest.approx(1.25 * 6 / 5, abs=1e-3)
    assert info.fps == pytest.approx(4.0, abs=1e-2)
    assert findings == []


def test_a_late_start_stays_late(subtests, tmp_path):
    for name in ["late.mkv", "late.ts"]:
        with subtests.test(name=name):
            times_s = [5.0 + k / 10 for k in range(12)]
            path = write_video(tmp_path / name, flat(range(0, 240, 20)), Made(times_s=times_s))
            pictures, info, _ = decode(path)
            start_s = pictures[0][0]
            assert start_s >= 5.0
            assert [time_s - start_s for time_s, _ in pictures] == pytest.approx([k / 10 for k in range(12)], abs=2e-3)
            assert info.duration_s == pytest.approx(1.2, abs=0.01)


def test_pictures_stand_upright(subtests, tmp_path):
    for ccw_deg, mirrored, clockwise_deg, expected in [
        (0, False, 0, ["red", "green", "blue", "white"]),
        (-90, False, 90, ["blue", "red", "white", "green"]),
        (90, False, 270, ["green", "white", "red", "blue"]),
        (180, False, 180, ["white", "blue", "green", "red"]),
        (0, True, 0, ["green", "red", "white", "blue"]),
        (-90, True, None, ["red", "blue", "green", "white"]),
    ]:
        with subtests.test(ccw_deg=ccw_deg, mirrored=mirrored, clockwise_deg=clockwise_deg, expected=expected):
            path = write_video(tmp_path / "v.mp4", [corners()] * 3, Made(rotation_ccw_deg=ccw_deg, mirrored=mirrored))
            pictures, info, _ = decode(path)
            image_rgb = pictures[0][1]
            assert quadrant_colours(image_rgb) == expected
            sideways = ccw_deg in (90, -90)
            assert image_rgb.shape == ((96, 64, 3) if sideways else (64, 96, 3))
            assert (info.width, info.height) == ((64, 96) if sideways else (96, 64))
            assert clockwise_deg is None or info.rotation_deg == clockwise_deg


def test_size_is_even_with_square_pixels(subtests, tmp_path):
    for size, short_side, pixel_aspect, expected in [
        ((320, 240), 120, None, (160, 120)),
        ((320, 240), 360, None, (320, 240)),  # never enlarged
        ((144, 96), 48, Fraction(4, 3), (96, 48)),  # 144 stored pixels are shown as 192
        ((322, 242), 100, None, (134, 100)),
    ]:
        with subtests.test(size=size, short_side=short_side, expected=expected):
            path = write_video(tmp_path / "v.mp4", [texture(1, *size)] * 3, Made(pixel_aspect=pixel_aspect))
            pictures, info, _ = decode(path, short_side)
            assert pictures[0][1].shape == (expected[1], expected[0], 3)
            assert info.width == size[0] * (pixel_aspect or 1)
    path = write_video(tmp_path / "v.avi", [corners(101, 75)] * 3, Made(codec="ffv1", pix_fmt="bgr0", options={}))
    pictures, info, _ = decode(path)
    assert (info.width, info.height) == (101, 75)
    assert pictures[0][1].shape == (74, 100, 3)
    assert quadrant_colours(pictures[0][1]) == ["red", "green", "blue", "white"]


def test_black_and_white_use_the_full_range(subtests, tmp_path):
    for codec, pix_fmt in [
        ("libx264", "yuv420p10le"),
        ("libx264", "yuv420p"),
        ("libx264", "yuvj420p"),
        ("mpeg4", "yuv420p"),
    ]:
        with subtests.test(codec=codec, pix_fmt=pix_fmt):
            options = {} if codec == "mpeg4" else {"crf": "5"}
            path = write_video(
                tmp_path / "v.mp4", flat([0, 255, 0, 255]), Made(codec=codec, pix_fmt=pix_fmt, options=options)
            )
            levels = [float(image_rgb.mean()) for _, image_rgb in decode(path)[0]]
            assert levels == pytest.approx([0, 255, 0, 255], abs=1)


def test_high_dynamic_range_is_mapped_and_told(subtests, tmp_path):
    for transfer, name in [(16, "PQ"), (18, "HLG")]:
        with subtests.test(transfer=transfer, name=name):
            hdr = {"color_trc": transfer, "color_primaries": 9, "colorspace": 9}
            made = Made(pix_fmt="yuv420p10le", options={"crf": "5"}, codec_attributes=hdr)
            levels = range(0, 256, 15)
            pictures, _, findings = decode(write_video(tmp_path / "v.mp4", flat(levels), made))
            shown = [float(image_rgb.mean()) for _, image_rgb in pictures]
            assert shown == sorted(shown)
            assert shown[0] < 2
            assert shown[-1] > 245
            assert (
                np.ptp([image_rgb[24, 32].astype(int) for _, image_rgb in pictures], axis=1).max() <= 6
            )  # gray stays gray
            assert next(finding.message for finding in findings if finding.code == "decode.hdr").count(name) == 1


def test_a_damaged_stretch_is_skipped_and_counted(tmp_path):
    path = write_video(tmp_path / "v.mp4", pan(3, 90, 3), Made(options={"preset": "ultrafast", "g": "15"}))
    data = bytearray(path.read_bytes())
    third = len(data) // 3
    data[third : third + 3000] = np.random.default_rng(0).integers(0, 255, 3000, dtype=np.uint8).tobytes()
    path.write_bytes(data)
    pictures, info, findings = decode(path)
    broken = [finding for finding in findings if finding.code == "decode.broken_frames"]
    assert len(broken) == 1
    assert 40 < len(pictures) < 90
    assert info.frame_count == len(pictures)


def test_a_cut_off_file_gives_what_is_there_if_anything_is(tmp_path):
    made = Made(container_options={"movflags": "faststart"}, options={"preset": "ultrafast", "g": "10"})
    path = write_video(tmp_path / "v.mp4", pan(3, 150, 3), made)
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    pictures, info, findings = decode(path)
    assert 30 < len(pictures) < 120
    assert info.duration_s < 4
    assert "decode.shorter_than_header" in codes(findings)
    made = Made(container_options={"movflags": "faststart"})
    path = write_video(tmp_path / "v.mp4", pan(3, 30, 3), made)
    data = path.read_bytes()
    path.write_bytes(data[: data.index(b"mdat") + 200])
    with pytest.raises(ReconError, match=r"v\.mp4: no frame could be decoded"):
        decode(path)


def test_what_is_no_video(subtests, tmp_path):
    for name, content, words in [
        ("absent.mp4", None, "no such file"),
        ("empty.mp4", b"", "empty"),
        ("text.mp4", b"this is a text file\n" * 50, "cannot be opened as a video"),
        ("list.mp4", b"ffconcat version 1.0\nfile other.mp4\n", "cannot be opened as a video"),
        ("notes.txt", b"this is a text file\n" * 50, "cannot be opened as a video"),
    ]:
        with subtests.test(name=name, content=content, words=words):
            path = tmp_path / name
            write_video(tmp_path / "other.mp4", [corners()] * 3)
            if content is not None:
                path.write_bytes(content)
            with pytest.raises(ReconError, match=words) as caught:
                decode(path)
            assert name in str(caught.value)
            assert "\n" not in str(caught.value)
    with pytest.raises(ReconError, match=r"no video track .it has: audio"):
        decode(write_sound(tmp_path / "sound.m4a"))


def test_the_digest_names_the_bytes(tmp_path):
    path = write_video(tmp_path / "v.mp4", [corners()] * 3)
    first = decode(path)[1].sha256
    path.write_bytes(path.read_bytes() + b"\0")
    assert decode(path)[1].sha256 != first


class FakeStream:
    time_base = Fraction(1, 10)
    guessed_rate = Fraction(10)
    average_rate = Fraction(10)


def accept_times(pts: list[int | None]) -> tuple[list[float], Clock]:
    clock = Clock(FakeStream())  # pyright: ignore[reportArgumentType]
    out = []
    for value in pts:
        frame = av.VideoFrame(16, 16)
        frame.pts = value
        time_s = clock.time_of(frame)
        if time_s is not None:
            out.append(round(time_s, 6))
    return out, clock


def test_times_are_kept_in_order_guessed_and_carried_on():
    times_s, clock = accept_times([0, 1, 1, 2, 1, 3, 3, 4])
    assert times_s == [0.0, 0.1, 0.2, 0.3, 0.4]
    assert codes(clock.findings("v")) == {"decode.timestamps"}
    assert clock.findings("v")[0].message.startswith("3 frames")
    times_s, clock = accept_times([*range(100, 140), *range(40)])
    assert times_s == sorted(set(times_s))
    assert len(times_s) > 65
    assert np.diff(times_s).max() < 0.21
    assert "decode.clock_reset" in codes(clock.findings("v"))
    times_s, clock = accept_times([None] * 5)
    assert times_s == [0.0, 0.1, 0.2, 0.3, 0.4]
    assert codes(clock.findings("v")) == {"decode.times_guessed"}


def test_raw_stream_without_container_times(tmp_path):
    path = write_video(tmp_path / "raw.h264", pan(1, 20, 2), Made(fps=25))
    pictures, info, _ = decode(path)
    assert len(pictures) == 20
    assert info.duration_s == pytest.approx(20 / 25, abs=0.05)


def test_times_without_decoding_are_the_decoded_ones(subtests, tmp_path):
    for codec in ["libx264", "mpeg4"]:
        with subtests.test(codec=codec):
            options = {"preset": "medium", "bf": "3"} if codec == "libx264" else {}  # frames stored out of order
            times_s = [2.0 + k / 25 + (0.01 if k % 3 else 0.0) for k in range(40)]
            path = write_video(tmp_path / "v.mp4", pan(1, 40, 2), Made(codec=codec, times_s=times_s, options=options))
            decoded = [time_s for time_s, _ in decode(path)[0]]
            assert presentation_times(path) == pytest.approx(decoded, abs=1e-9)
            assert presentation_times(path) == pytest.approx(times_s, abs=1e-3)


def test_a_wrong_frame_count_in_the_header_changes_nothing(subtests, tmp_path):
    for promised in [1, 7, 100_000]:
        with subtests.test(promised=promised):
            made = Made(codec="mpeg4", fps=25, options={})
            path = write_video(tmp_path / "v.avi", pan(1, 40, 2), made)
            right, info, _ = decode(path)
            data = bytearray(path.read_bytes())
            for chunk, offset in ((b"avih", 8 + 16), (b"strh", 8 + 32)):  # dwTotalFrames, dwLength
                begin = data.index(chunk) + offset
                data[begin : begin + 4] = promised.to_bytes(4, "little")
            path.write_bytes(data)
            wrong, wrong_info, findings = decode(path)
            assert [time_s for time_s, _ in wrong] == [time_s for time_s, _ in right]
            assert (wrong_info.frame_count, wrong_info.duration_s) == (info.frame_count, info.duration_s) == (40, 1.6)
            assert ("decode.shorter_than_header" in codes(findings)) == (promised > 1000)


def test_a_turn_that_was_asked_for_comes_after_the_files_own(subtests, tmp_path):
    for rotate_deg, stored_deg in [(0, 90), (90, None), (180, 90), (270, 90)]:
        with subtests.test(rotate_deg=rotate_deg, stored_deg=stored_deg):
            path = write_video(tmp_path / "v.mp4", [corners()] * 3, Made(rotation_ccw_deg=stored_deg))
            plain = decode(path)[0][0][1]
            with VideoSource(path, 360, rotate_deg) as source:
                image = next(source.pictures()).image_rgb()
                info = source.info()
            assert quadrant_colours(image) == quadrant_colours(np.rot90(plain, -rotate_deg // 90))
            assert image.shape[:2] == (info.height, info.width)


def test_a_stretch_that_was_asked_for_widens_the_upright_picture(subtests, tmp_path):
    for ccw_deg, aspect, stretch, expected in [
        (None, None, 1.5, (144, 64)),
        (None, Fraction(4, 3), 0.75, (96, 64)),  # after the file's own
        (90, None, 1.5, (96, 96)),  # 64 wide as it is shown
    ]:
        with subtests.test(ccw_deg=ccw_deg, aspect=aspect, stretch=stretch):
            path = write_video(tmp_path / "v.mp4", [corners()] * 3, Made(rotation_ccw_deg=ccw_deg, pixel_aspect=aspect))
            with VideoSource(path, 360, stretch=stretch) as source:
                picture = next(source.pictures())
                image, thumb, info = picture.image_rgb(), picture.thumb_bgr(), source.info()
            assert image.shape[1::-1] == (info.width, info.height) == expected
            shown = thumb.shape[:2] if ccw_deg else thumb.shape[1::-1]  # thumbs lie as they are stored
            assert shown[0] / shown[1] == pytest.approx(expected[0] / expected[1], rel=0.05)


def test_a_title_that_is_no_utf8_is_passed_over(tmp_path):
    path = tmp_path / "tour.mp4"
    with av.open(str(path), "w") as container:
        container.metadata["title"] = "a title to damage"
        stream = container.add_stream("libx264", rate=10)
        stream.width, stream.height, stream.pix_fmt = 64, 48, "yuv420p"
        for number in range(3):
            frame = av.VideoFrame.from_ndarray(np.full((48, 64, 3), 40 * number, np.uint8), format="rgb24")
            frame.pts, frame.time_base = number, Fraction(1, 10)
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    whole = path.read_bytes()
    for name in (b"a title to damage", b"VideoHandler"):
        assert name in whole
        path.write_bytes(whole.replace(name, b"\xff" * len(name)))
        with VideoSource(path, 48) as source:
            assert len(list(source.pictures())) == 3


def damage(path: Path, seed: int) -> Path:
    """Thirty places of four bytes, behind the first and before the last fifth of the file."""
    rng = np.random.default_rng(seed)
    data = bytearray(path.read_bytes())
    for place in rng.integers(len(data) // 5, len(data) * 4 // 5, 30).tolist():
        data[place : place + 4] = rng.integers(0, 255, 4, dtype=np.uint8).tobytes()
    path.write_bytes(data)
    return path


def read(video: Path) -> tuple[str, tuple[str, ...]]:
    """A digest of all pictures and their times, and what was said."""
    digest = hashlib.sha256()
    with VideoSource(video, 180) as source:
        for picture in source.pictures():
            digest.update(f"{picture.time_s:.6f}".encode() + picture.image_rgb().tobytes())
        return digest.hexdigest(), tuple(finding.message for finding in source.findings())


def test_runs_of_a_damaged_file_give_the_same_bytes(short_walk, tmp_path):
    """As several threads decoded it to the end, five runs gave five different results."""
    (tmp_path / "tour.mp4").write_bytes(short_walk.read_bytes())
    video = damage(tmp_path / "tour.mp4", 1)
    runs = [read(video) for _ in range(2)]
    assert any("broken frames" in message for message in runs[0][1])
    assert len(set(runs)) == 1
