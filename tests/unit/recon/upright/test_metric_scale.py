import numpy as np
import pytest

from recon.errors import ReconError
from recon.upright.metric_scale import scale_from_camera_height, scale_from_depth
from recon.upright.scene import SceneOptions


def test_camera_height_gives_an_assumed_scale():
    scale = scale_from_camera_height(0.3, 1.5, 0.15)
    assert scale.status == "assumed"
    assert scale.factor == pytest.approx(5.0)
    assert scale.source == "camera height 1.5 m above the floor (prior)"
    assert scale.unit == "m"
    with pytest.raises(ReconError, match="positive"):
        scale_from_camera_height(-0.3, 1.5, 0.15)


@pytest.mark.parametrize("held_m", [0.9, 1.2, 1.5, 1.8])
def test_the_prior_of_the_camera_height_is_within_two_sigma_of_how_phones_are_held(held_m):
    options = SceneOptions()
    scale = scale_from_camera_height(held_m, options.camera_height_m, options.camera_height_sigma)
    assert abs(np.log(scale.factor)) <= 2.0 * scale.sigma


def test_depth_scale_survives_wrong_depths_and_follows_the_unit():
    rng = np.random.default_rng(0)
    tracks = rng.uniform(0.5, 4, 1000)
    metres = 2.5 * tracks * np.exp(rng.normal(0, 0.05, 1000))
    metres[:300] = rng.uniform(5, 30, 300)
    metres[300:310] = np.nan
    tracks[310:320] = 0.0
    scale = scale_from_depth(tracks, metres)
    assert scale.status == "metric"
    assert scale.factor == pytest.approx(2.5, rel=0.05)
    assert 0.04 < scale.sigma < 0.2
    tracks = np.linspace(1, 3, 50)
    metres = tracks * 1.7
    assert scale_from_depth(10 * tracks, metres).factor == pytest.approx(0.17)
    assert scale_from_depth(tracks, metres).sigma == pytest.approx(0.0, abs=1e-9)
    with pytest.raises(ReconError, match="5 of 5 depth pairs"):
        scale_from_depth(np.ones(5), np.ones(5))
    with pytest.raises(ReconError, match="track depths but"):
        scale_from_depth(np.ones(50), np.ones(51))
