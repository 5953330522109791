from recon.adjust.refine import densify
from recon.audit.torn import TornOptions, find_torn_seams
from tests.support.recon.made_models import tear


def test_a_stretch_with_points_of_its_own_is_torn_off_at_both_ends(subtests, scene, database):
    for shared in [0.0, 0.4]:
        with subtests.test(shared=shared):
            tears = find_torn_seams(tear(scene, 9, 13, shared), database)
            assert {(8, 9), (13, 14)} <= {seam.frames for seam in tears}
            worst = max(tears, key=lambda seam: seam.value)
            assert 8 <= worst.first <= 13
            assert all(seam.value > 0.14 and int(seam.words.split()[0]) >= 8 for seam in tears)


def test_a_tear_of_five_centimetres_outlives_densifying(scene, database):
    model = tear(scene, 13, 24, aside_m=0.05)
    densify(model, database, model.reg_image_ids())
    assert (12, 13) in {seam.frames for seam in find_torn_seams(model, database)}


def test_a_few_split_points_are_no_tear_and_the_bars_can_be_set(scene, database):
    assert find_torn_seams(tear(scene, 9, 13, 0.95), database) == []
    model = tear(scene, 9, 13, 0.4)
    assert find_torn_seams(model, database, TornOptions(max_share=1.0)) == []
    assert find_torn_seams(model, database, TornOptions(min_matches=10**6)) == []
    near = find_torn_seams(model, database, TornOptions(reach=1))
    assert {seam.frames for seam in near} == {(8, 9), (13, 14)}
