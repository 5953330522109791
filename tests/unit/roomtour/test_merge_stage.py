"""By what holds the models, merging is asked otherwise; whatever they rest on, their points have colors."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np

from recon.audit.contradictions import CHECK_LEARNED
from recon.audit.torn import TORN_LEARNED
from recon.merging.merge import choose_bars
from recon.merging.regrow import MergeBars
from recon.pictures import write_picture_file
from recon.tasks import map_here
from recon.video.sampling import SampledTour
from roomtour.artifacts import DATABASE, FRAMES, MERGED, SOURCE, SUB_MODELS
from roomtour.config import Config
from roomtour.files.frames import write_source
from roomtour.files.models import read_sub_models, write_sub_models
from roomtour.stages import merge
from roomtour.stages.context import StageContext
from roomtour.store import RunStore
from tests.support.export.made_run import make_source
from tests.support.recon.made_models import CAMERA, cut, frames_of, walk_scene, write_matches

USUAL = MergeBars()
BY_LEARNED = choose_bars(is_learned=True, has_both_kinds=False)
BY_BOTH = choose_bars(is_learned=False, has_both_kinds=True)


def test_bars_follow_what_holds_the_models():
    assert choose_bars(is_learned=False, has_both_kinds=False) == USUAL
    for bars in (BY_LEARNED, BY_BOTH):
        assert (bars.torn, bars.check) == (TORN_LEARNED, CHECK_LEARNED)
        assert bars.refine.max_iterations > USUAL.refine.max_iterations
    usual = USUAL.hold
    assert BY_LEARNED.hold == usual
    assert usual.shrunk > 0.0
    both = BY_BOTH.hold
    assert both.shrunk == 0.0
    assert both.min_sigma == usual.min_sigma


def test_points_get_their_colors_from_the_frames_whatever_made_them(tmp_path: Path):
    scene = walk_scene(frames=6, points=200)
    for point in scene.points3D.values():
        point.color = np.zeros(3, np.uint8)
    run, out = tmp_path / "run", tmp_path / "out"
    frames = run / FRAMES.path
    frames.mkdir(parents=True)
    picture = np.full((CAMERA.height, CAMERA.width, 3), (40, 80, 200), np.uint8)  # BGR
    for frame in frames_of(scene):
        write_picture_file(frames / frame.image, picture)
    write_source(run / SOURCE.path, SampledTour(make_source("tour", 6), tuple(frames_of(scene)), (), ()))
    write_sub_models(run / SUB_MODELS.path, [cut(scene, range(1, 7), "000/0")])
    write_matches(scene, run / DATABASE.path)
    workers = cast(Any, SimpleNamespace(map=map_here))
    config = Config(poses=tmp_path)  # then nothing is joined or moved
    nothing = cast(Any, None)
    merge.run(StageContext(nothing, config, RunStore(run), out, lambda share: None, workers, nothing))
    (model,) = read_sub_models(out / MERGED.path)
    colors = np.array([point.color for point in model.reconstruction.points3D.values()])
    assert len(colors) > 50
    assert np.abs(colors.astype(int) - (200, 80, 40)).max() <= 4  # JPEG
