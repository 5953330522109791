import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from recon.adjust.refine import RefineOptions, adjust_and_filter
from recon.audit.pixel_aspect import PixelAspect, find_stretch, measure_pixel_aspect
from recon.geometry import Pose
from recon.records import SourceInfo, SubModel
from tests.support.recon.made_models import scene_from_poses, walk_poses


def adjust_squeezed(aspect, frames=24, nod_deg=12.0):
    """A walk whose pictures have pixels `aspect` times as wide as high, adjusted with one focal length."""
    nods = Rotation.from_euler("x", nod_deg * np.sin(np.arange(frames))[:, None], degrees=True).as_matrix()
    poses = [Pose(pose.rotation @ nod, pose.translation) for pose, nod in zip(walk_poses(frames), nods, strict=True)]
    model = scene_from_poses(poses, 300, 0.3, seed=0)
    camera = model.camera(1)
    focal_px, cx, cy, _ = camera.params
    camera.width = round(camera.width / aspect)
    camera.params = [focal_px / aspect**0.5, cx / aspect, cy, 0.0]
    for frame in model.reg_image_ids():
        for point in model.image(frame).points2D:
            point.xy = point.xy / [aspect, 1.0]
    adjust_and_filter(model, model.reg_image_ids(), RefineOptions(max_iterations=30))
    model.update_point_3d_errors()
    return SubModel("000/0", ("000",), model)


@pytest.mark.parametrize("aspect", [0.75, 1.0, 1.3, 1.5, 16 / 9])
def test_a_model_that_was_bent_to_one_focal_length_tells_the_aspect_of_its_pixels(aspect):
    found = measure_pixel_aspect([adjust_squeezed(aspect)])
    assert found is not None
    assert found.ratio == pytest.approx(aspect, rel=0.05)
    assert found.is_square == (aspect == 1.0)


def test_a_camera_that_never_nods_on_level_ground_tells_nothing():
    found = measure_pixel_aspect([adjust_squeezed(1.5, nod_deg=0.0)])
    assert found is None or found.is_square


def test_models_of_three_frames_tell_nothing():
    assert measure_pixel_aspect([]) is None
    assert measure_pixel_aspect([adjust_squeezed(1.5, frames=3)]) is None


def film(width, height):
    return SourceInfo("film.mp4", "video", width, height, 20.0, 600, 30.0, "h264", 0, "")


def test_a_film_gets_the_shape_that_is_nearest_to_what_was_measured(subtests):
    for size, ratio, sigma, stretch, expected in [
        ((512, 512), 1.68, 0.06, 1.0, 16 / 9),
        ((512, 512), 1.15, 0.06, 1.0, 1.0),  # as likely square
        ((512, 512), 1.23, 0.06, 1.0, 4 / 3),
        ((480, 360), 1.35, 0.06, 1.0, 4 / 3),  # 16:9 shown as 4:3
        ((640, 360), 0.74, 0.06, 1.0, 0.75),  # 4:3 shown as 16:9
        ((512, 332), 1.7, 0.06, 1.0, 16 / 9),  # 16:9 in a square, then cropped
        ((512, 436), 2.4, 0.06, 1.0, 16 / 9),  # cropped aside of its middle, so too much is measured
        ((683, 512), 1.25, 0.08, 4 / 3, 16 / 9),  # taken for 4:3 at first
        ((683, 512), 1.15, 0.08, 4 / 3, 4 / 3),  # doubtful
        ((910, 512), 1.18, 0.06, 16 / 9, 16 / 9),  # no other one is nearer
        ((640, 360), 1.21, 0.06, 1.0, 4 / 3),
        ((640, 360), 1.19, 0.06, 1.0, 1.0),
    ]:
        with subtests.test(size=size, ratio=ratio, stretch=stretch):
            found = find_stretch(PixelAspect(ratio, sigma), film(*size), stretch)
            assert found == pytest.approx(expected, rel=0.01)


def test_what_is_not_to_be_changed_stays_as_it_is():
    for ratio in np.exp([-0.1, 0.0, 0.1]):
        assert find_stretch(PixelAspect(float(ratio), 0.06), film(640, 360)) == 1.0
