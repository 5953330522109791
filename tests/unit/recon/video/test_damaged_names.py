"""Titles and names of handlers inside a damaged video may be any bytes; nothing reads them, so nothing fails."""

from fractions import Fraction

import av
import numpy as np

from recon.video.decode import VideoSource


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
