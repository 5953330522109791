"""By what holds the models, merging is asked otherwise."""

from recon.diagnosis.contradictions import CHECK_LEARNED
from recon.diagnosis.torn import TORN_LEARNED
from recon.matching.options import FeatureOptions
from roomtour.config import Config
from roomtour.stages.merge import choose_options

XFEAT = Config(features=FeatureOptions(kind="xfeat"))


def test_what_sift_holds_is_asked_as_the_options_say():
    assert choose_options(Config(), has_both_kinds=False) == Config().merge


def test_learned_keypoints_have_bars_of_their_own_and_are_adjusted_for_longer():
    for options in (choose_options(XFEAT, has_both_kinds=False), choose_options(Config(), has_both_kinds=True)):
        assert (options.straighten.torn, options.straighten.check) == (TORN_LEARNED, CHECK_LEARNED)
        assert options.refine.max_iterations > Config().merge.refine.max_iterations


def test_sides_that_shrank_are_not_asked_for_where_a_walk_was_judged_with_its_floor():
    usual = Config().merge.straighten.hold
    assert choose_options(XFEAT, has_both_kinds=False).straighten.hold == usual
    assert usual.shrunk > 0.0
    both = choose_options(Config(), has_both_kinds=True).straighten.hold
    assert both.shrunk == 0.0
    assert both.min_sigma == usual.min_sigma
