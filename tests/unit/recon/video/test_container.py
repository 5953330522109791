"""Which of several streams is the tour, and what is said of the way it was recorded."""

from fractions import Fraction
from typing import cast

import av
import numpy as np
import pytest
from av.stream import Disposition
from av.video.stream import VideoStream

from recon.video.container import presentation_times
from recon.video.decode import VideoSource
from tests.support.recon.made_videos import Made, flat, write_video


def write_streams(path, *streams):
    """A file of streams, each of (width, pictures, disposition), whose pictures are as bright as their number says."""
    with av.open(str(path), "w") as container:
        made = []
        for width, _, disposition in streams:
            stream = cast(VideoStream, container.add_stream("mpeg4", rate=10))
            stream.width, stream.height, stream.pix_fmt = width, 48, "yuv420p"
            stream.codec_context.time_base = Fraction(1, 10)
            stream.disposition = disposition
            made.append(stream)
        for number, (stream, (width, pictures, _)) in enumerate(zip(made, streams, strict=True)):
            for k in range(pictures):
                gray = np.full((48, width, 3), 60 * (number + 1), np.uint8)
                frame = av.VideoFrame.from_ndarray(gray, format="rgb24").reformat(format="yuv420p")
                frame.pts, frame.time_base = k, Fraction(1, 10)
                container.mux(stream.encode(frame))
            container.mux(stream.encode(None))
    return path


NONE, DEFAULT = Disposition(0), Disposition.default


@pytest.mark.parametrize("suffix", [".mkv", ".mp4"])
def test_one_rule_chooses_the_stream(subtests, tmp_path, suffix):
    for name, streams, chosen in [
        ("a cover that is a stream of one picture", [(640, 1, NONE), (64, 12, NONE)], 1),
        ("a still picture marked as the default", [(640, 1, DEFAULT), (64, 12, NONE)], 1),
        ("the default, though smaller and shorter", [(128, 20, NONE), (64, 12, DEFAULT)], 1),
        ("the longer, though smaller", [(128, 12, NONE), (64, 20, NONE)], 1),
        ("the larger of two as long", [(64, 12, NONE), (128, 12, NONE)], 1),
        ("the first of two alike", [(64, 12, NONE), (64, 12, NONE)], 0),
    ]:
        if suffix == ".mp4" and DEFAULT not in [disposition for *_, disposition in streams]:
            continue  # FFmpeg marks the first track of an MP4
        with subtests.test(name=name):
            path = write_streams(tmp_path / f"v{suffix}", *streams)
            with VideoSource(path, 48) as source:
                levels = [float(picture.image_rgb().mean()) for picture in source.pictures()]
                findings = {finding.code: finding for finding in source.findings()}
            assert len(levels) == streams[chosen][1] == len(presentation_times(path))
            assert levels == pytest.approx([60 * (chosen + 1)] * len(levels), abs=3)
            width, pictures, _ = streams[1 - chosen]
            finding = findings["decode.other_streams"]
            assert f"stream {1 - chosen} ({width}x48" in finding.message
            assert finding.severity == ("warning" if pictures > 1 else "info")


def test_interlaced_video_is_told_from_progressive(subtests, tmp_path):
    for interlaced in (True, False):
        with subtests.test(interlaced=interlaced):
            options = {"preset": "ultrafast", **({"x264-params": "tff=1"} if interlaced else {})}
            path = write_video(tmp_path / "v.mp4", flat(range(0, 200, 20)), Made(options=options))
            with VideoSource(path, 48) as source:
                assert len([*source.pictures()]) == 10
                assert ("decode.interlaced" in {one.code for one in source.findings()}) == interlaced
