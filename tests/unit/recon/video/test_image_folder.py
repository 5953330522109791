import random

import cv2
import numpy as np
import pytest

from recon import pictures as pictures_module
from recon.errors import ReconError
from recon.given_files import natural_key
from recon.video.image_folder import FolderSource
from recon.video.sampling import SampleOptions, sample_tour
from tests.support.recon.made_videos import corners, pan, quadrant_colours, texture

EXIF_TURN_CLOCKWISE = b"Exif\0\0II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0"


def save(path, image_rgb):
    assert cv2.imwrite(str(path), image_rgb[..., ::-1])


def read(folder, fps=10.0, short_side=360):
    with FolderSource(folder, short_side, fps) as source:
        pictures = [(picture.time_s, picture.image_rgb()) for picture in source.pictures()]
        return pictures, source.info(), {finding.code: finding for finding in source.findings()}


def test_time_is_position_over_rate_and_types_can_be_mixed_in_natural_order(tmp_path):
    names = ["a1.jpg", "a2.jpg", "a10.jpg", "A11.jpg", "b1.jpg", "b01x2.jpg", "b01x10.jpg"]
    shuffled = random.Random(0).sample(names, len(names))
    assert sorted(shuffled, key=natural_key) == names
    for number, suffix in enumerate(["jpg", "png", "webp", "bmp", "tif", "JPEG"]):
        save(tmp_path / f"{number + 8}.{suffix}", np.full((48, 64, 3), 40 * number, np.uint8))
    pictures, info, findings = read(tmp_path, fps=4)
    assert [time_s for time_s, _ in pictures] == [0, 0.25, 0.5, 0.75, 1.0, 1.25]
    assert [float(image.mean()) for _, image in pictures] == pytest.approx([0, 40, 80, 120, 160, 200], abs=2)
    assert (info.kind, info.frame_count, info.fps, info.duration_s) == ("images", 6, 4, 1.5)
    assert findings == {}


def test_pictures_are_turned_by_exif_and_when_asked(tmp_path):
    jpeg = cv2.imencode(".jpg", corners()[..., ::-1])[1].tobytes()
    marker = b"\xff\xe1" + (len(EXIF_TURN_CLOCKWISE) + 2).to_bytes(2, "big") + EXIF_TURN_CLOCKWISE
    (tmp_path / "1.jpg").write_bytes(jpeg[:2] + marker + jpeg[2:])
    pictures, info, _ = read(tmp_path)
    assert quadrant_colours(pictures[0][1]) == ["blue", "red", "white", "green"]
    assert (info.width, info.height) == (64, 96)
    (tmp_path / "1.jpg").unlink()
    save(tmp_path / "1.png", corners())
    with FolderSource(tmp_path, 360, 10, rotate_deg=90) as source:
        image = next(source.pictures()).image_rgb()
        info = source.info()
    assert quadrant_colours(image) == quadrant_colours(np.rot90(corners(), -1))
    assert image.shape[:2] == (info.height, info.width) == (96, 64)
    assert info.rotation_deg == 90


def test_a_stretch_widens_the_upright_picture(subtests, tmp_path):
    save(tmp_path / "1.png", corners())
    for rotate_deg, short_side, expected in [(0, 360, (144, 64)), (90, 360, (96, 96)), (0, 32, (72, 32))]:
        with (
            subtests.test(rotate_deg=rotate_deg, short_side=short_side),
            FolderSource(tmp_path, short_side, 10, rotate_deg, stretch=1.5) as source,
        ):
            image = next(source.pictures()).image_rgb()
            assert image.shape[1::-1] == expected
            assert quadrant_colours(image) == quadrant_colours(np.rot90(corners(), -rotate_deg // 90))
            assert source.info().width / source.info().height == pytest.approx(expected[0] / expected[1])


def test_what_is_dropped_is_told_and_keeps_its_place_in_time(tmp_path):
    for number in range(9):
        save(tmp_path / f"{number}.jpg", texture(number, 96, 64))
    whole = (tmp_path / "2.jpg").read_bytes()
    (tmp_path / "2.jpg").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "4.jpg").write_bytes(b"not a picture")
    save(tmp_path / "6.jpg", texture(6, 64, 96))
    save(tmp_path / "7.jpg", texture(7, 100, 64))
    (tmp_path / "8.jpg").write_bytes((tmp_path / "8.jpg").read_bytes() + b"a second of video" * 9999)
    (tmp_path / "notes.txt").write_text("hello")
    pictures, info, findings = read(tmp_path)
    assert [round(10 * time_s) for time_s, _ in pictures] == [0, 1, 3, 5, 8]
    assert info.frame_count == 5
    assert "2.jpg, 4.jpg" in findings["images.unreadable"].message
    assert "6.jpg, 7.jpg" in findings["images.other_size"].message
    assert "notes.txt" in findings["images.ignored"].message


def test_the_most_common_size_wins_even_if_it_is_not_first(tmp_path):
    for number in range(7):
        save(tmp_path / f"{number}.png", texture(number, *((96, 64) if number < 3 else (128, 64))))
    pictures, info, _ = read(tmp_path)
    assert len(pictures) == 4
    assert (info.width, info.height) == (128, 64)


def test_one_picture_of_nearly_the_common_size_does_not_win(subtests, tmp_path):
    for number in range(6):
        save(tmp_path / f"{number}.jpg", texture(number, *((92, 64) if number == 0 else (96, 64))))
    pictures, info, findings = read(tmp_path)
    assert (len(pictures), info.width) == (5, 96)
    assert "0.jpg" in findings["images.other_size"].message
    for (width, height), turned in (((96, 92), 0), ((96, 92), 5)):  # an eighth of both sides is 12 pixels
        with subtests.test(turned=turned):
            for number in range(6):
                is_turned = number < turned
                save(tmp_path / f"{number}.jpg", texture(number, *((height, width) if is_turned else (width, height))))
            assert (len(read(tmp_path)[0]), read(tmp_path)[1].width) == ((6, 96) if not turned else (5, 92))


def test_what_systems_leave_is_no_picture(tmp_path):
    for number in range(4):
        save(tmp_path / f"IMG_{number}.jpg", texture(number, 96, 64))
        (tmp_path / f"._IMG_{number}.jpg").write_bytes(b"\0\5\x16\7")
    (tmp_path / "Thumbs.db").write_bytes(b"x")
    (tmp_path / ".DS_Store").write_bytes(b"x")
    save(tmp_path / "IMG_4.jpg", texture(4, 96, 64))
    (tmp_path / "IMG_4.jpg").rename(tmp_path / "IMG_4.jfif")
    pictures, _, findings = read(tmp_path)
    assert [round(10 * time_s) for time_s, _ in pictures] == [0, 1, 2, 3, 4]
    assert set(findings) == {"images.ignored"}
    assert "6 files" in findings["images.ignored"].message


HEIC_HEAD = b"\0\0\0\x18ftypheic\0\0\0\0mif1heic"


def test_pictures_without_a_decoder_are_told_and_keep_their_place(tmp_path, monkeypatch):
    monkeypatch.setattr(pictures_module, "_heic_decoder", lambda: None)
    for number in range(0, 8, 2):
        save(tmp_path / f"{number}.jpg", texture(number, 96, 64))
        (tmp_path / f"{number + 1}.HEIC").write_bytes(HEIC_HEAD + bytes(99))
    (tmp_path / "0.heic").write_bytes(HEIC_HEAD)  # of which 0.jpg is a copy
    pictures, _, findings = read(tmp_path)
    assert [round(10 * time_s) for time_s, _ in pictures] == [0, 2, 4, 6]
    missing = findings["images.no_decoder"]
    assert missing.severity == "warning"
    assert "4 files" in missing.message
    assert "roomtour[heic]" in missing.message
    assert "0.heic" in findings["images.ignored"].message


def test_a_folder_too_short_says_what_was_dropped(tmp_path):
    folder = tmp_path / "images"
    folder.mkdir()
    for number in range(5):
        save(folder / f"{number}.jpg", texture(number, *((96, 64) if number < 2 else (96 + 4 * number, 64))))
    with pytest.raises(ReconError, match="too short: 1 frames") as caught:
        sample_tour(folder, tmp_path / "frames", image_fps=10)
    assert any("[images.other_size]" in note and "3 files" in note for note in caught.value.__notes__)


def test_the_digest_names_names_and_bytes(tmp_path):
    digests = set()
    for step in range(3):
        save(tmp_path / "1.png", texture(1 if step == 0 else 2, 64, 48))
        if step == 2:
            (tmp_path / "1.png").rename(tmp_path / "2.png")
        digests.add(read(tmp_path)[1].sha256)
    assert len(digests) == 3


def test_a_folder_is_sampled_like_a_video(tmp_path):
    folder = tmp_path / "images"
    folder.mkdir()
    for number, image_rgb in enumerate(pan(1, 40, 12, 480, 400)):
        save(folder / f"{number}.jpg", image_rgb)
    tour = sample_tour(folder, tmp_path / "frames", SampleOptions(fps=5), image_fps=10)
    assert len(tour.frames) == 21  # 3.9 s of images; the last one is nearest to the tick at 4.0 s
    assert (tour.frames[0].width, tour.frames[0].height) == (432, 360)
    assert all(abs(frame.time_s * 5 - k) <= 0.5 for k, frame in enumerate(tour.frames))
    (told,) = [finding for finding in tour.findings if finding.code == "sample.thinned"]
    assert "21 of 40 pictures" in told.message
    each = sample_tour(folder, tmp_path / "each", SampleOptions(fps=10), image_fps=10)
    assert [frame.source for frame in each.frames] == [f"{number}.jpg" for number in range(40)]
    assert not each.findings


def test_folders_that_cannot_be_used(subtests, tmp_path):
    for names, fps, words in [
        ([], 10, "no images in this folder"),
        (["notes.txt"], 10, r"no images in this folder .1 other"),
        (["1.jpg"], None, r"--input\.fps"),
        (["1.jpg"], 0.0, r"--input\.fps is 0"),
        (["1.jpg", "2.jpg"], 10, "none of 2 images could be read"),
    ]:
        with subtests.test(names=names, fps=fps, words=words):
            for name in names:
                (tmp_path / name).write_bytes(b"x")
            with pytest.raises(ReconError, match=words) as caught:
                read(tmp_path, fps)
            assert "\n" not in str(caught.value)


def test_a_folder_around_the_folder_of_pictures_names_it(tmp_path):
    for name in ("images", "masks"):
        (tmp_path / name).mkdir()
        save(tmp_path / name / "1.jpg", corners())
    save(tmp_path / "images" / "2.jpg", corners())
    with pytest.raises(ReconError, match=r"but 2 in images/. Give .*images$"):
        read(tmp_path)
