import numpy as np
import pytest

from recon.errors import ReconError
from recon.video.picture import LightCheck
from tests.support.recon.made_videos import texture

SIZE = (320, 180)


def codes_of(images_rgb):
    check = LightCheck()
    for image_rgb in images_rgb:
        check.look(image_rgb)
    return {finding.code for finding in check.findings("tour.mp4")}


def test_some_dark_or_blank_frames_are_told_and_most_are_an_error(subtests):
    sound = [texture(number, *SIZE) for number in range(10)]
    assert codes_of(sound) == set()
    for level, code, words in [(0, "sample.dark", "too dark"), (255, "sample.blank", "blank")]:
        with subtests.test(level=level):
            bad = [np.full((180, 320, 3), level, np.uint8)] * 10
            assert code not in codes_of([*bad[:1], *sound[:9]])
            assert code in codes_of([*bad[:2], *sound[:8]])
            with pytest.raises(ReconError, match=words):
                codes_of([*bad[:8], *sound[:2]])
