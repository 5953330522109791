"""Pixels of highlights against the rule written out pixel by pixel; palettes; shuffles that can be undone."""

import colorsys

import numpy as np
import pytest

from instructions.perception.colors import lab_from_rgb
from instructions.perception.draw import Highlight, draw_highlights, find_colours
from instructions.perception.masks import encode_mask
from instructions.regions.records import MentionedRegion, Qar, Region, RegionView
from instructions.regions.sets.shuffle import NotShown, renumber, sample, show
from tests.support.cases import each_case


def slow_drawing(image, boxes, palette):
    """The rule, pixel by pixel, in floats."""
    out = image.astype(float)
    height, width = image.shape[:2]
    for place, box in enumerate(boxes):
        outline, fill = find_colours(place, palette)
        x0, y0, x1, y1 = (int(value) for value in box)
        for y in range(max(y0, 0), min(y1, height - 1) + 1):
            for x in range(max(x0, 0), min(x1, width - 1) + 1):
                edge = min(x - max(x0, 0), min(x1, width - 1) - x, y - max(y0, 0), min(y1, height - 1) - y)
                alpha = 1.0 if edge < 2 else 32 / 255
                colour = np.array(outline if edge < 2 else fill, float)
                out[y, x] = out[y, x] * (1 - alpha) + colour * alpha
    return out


@each_case("palette", ["paper", "clear"])
@each_case("count", [1, 4, 10])
def test_every_pixel_is_as_the_rule_says(palette, count):
    rng = np.random.default_rng(count)
    image = rng.integers(0, 256, (60, 80, 3), dtype=np.uint8)
    boxes = []
    for _ in range(count):
        x, y = rng.uniform(0, 70), rng.uniform(0, 50)
        boxes.append((x, y, x + rng.uniform(5, 40), y + rng.uniform(5, 40)))
    drawn = draw_highlights(image, [Highlight(box) for box in boxes], palette)
    assert np.abs(drawn - slow_drawing(image, boxes, palette)).max() <= 2
    assert not np.shares_memory(drawn, image)


def test_a_mask_is_filled_in_its_own_shape():
    mask = np.zeros((40, 40), bool)
    mask[10:20, 10:30] = True
    drawn = draw_highlights(np.zeros((40, 40, 3), np.uint8), [Highlight((5, 5, 35, 35), encode_mask(mask))])
    assert drawn[15, 15].any()
    assert not drawn[25, 20].any()
    with pytest.raises(ValueError, match="40 x 40 px for a picture of 50"):
        draw_highlights(np.zeros((50, 50, 3), np.uint8), [Highlight((5, 5, 35, 35), encode_mask(mask))])


def test_numbers_are_written_inside_the_picture():
    plain = draw_highlights(np.zeros((100, 100, 3), np.uint8), [Highlight((90, 90, 99, 99), None, 7)])
    told = draw_highlights(np.zeros((100, 100, 3), np.uint8), [Highlight((90, 90, 99, 99), None, 7)], draw_numbers=True)
    assert (plain != told).any()


def test_the_papers_palette():
    assert find_colours(0, "paper") == ((0x05, 0xFF, 0x37), (0xFF, 0x05, 0xCD))
    assert find_colours(4, "paper") == ((0xF5, 0x5D, 0x42), (0x86, 0x2D, 0x2D))
    red, green, blue = colorsys.hls_to_rgb(7 / 1024, 0.4 + 0.6 * 7 / 1025, 7 / 1023)
    expected = (int(255 * red), int(255 * green), int(255 * blue))
    assert find_colours(7, "paper") == (expected, expected)
    with pytest.raises(ValueError, match="1024"):
        find_colours(1024, "paper")


def test_colours_of_the_clear_palette_are_far_apart():
    lab = lab_from_rgb([find_colours(place)[0] for place in range(10)])
    apart = np.linalg.norm(lab[:, None] - lab[None], axis=-1) + 1e9 * np.eye(10)
    assert apart.min() >= 35
    with pytest.raises(ValueError, match="10 colours"):
        find_colours(10)


def made_view(count: int) -> RegionView:
    regions = tuple(
        Region(
            n, f"o{n}", "chair", "chair", (), (10.0 * n, 5.0, 10.0 * n + 8, 30.0), None, 1.0, 1.0, False, 1.0, "made"
        )
        for n in range(count)
    )
    return RegionView("v", "t", "0", 1, "000001.jpg", 120, 40, regions, 0)


def made_row(numbers: tuple[int, ...]) -> Qar:
    text = " and ".join(f"[{number}]" for number in numbers)
    return Qar(
        id=f"r{numbers}", tour="t", model="0", views=(1,), scale_status="metric", perception="made", writer="made",
        seed=0, accepted=True, view="v", mode="id", type="Others", task="free", question=f"What of {text}?",
        answer=f"{text} stand.", rationale=f"So {text} do.", mentioned=numbers,
        regions=tuple(MentionedRegion(n, f"o{n}", (10.0 * n, 5.0, 10.0 * n + 8, 30.0)) for n in numbers),
        verdicts=(), checked_share=None,
    )  # fmt: skip


def test_shuffles_can_be_undone_and_name_nothing_undrawn():
    view = made_view(10)
    shown: set[int] = set()
    orders = set()
    for epoch in range(300):
        row = made_row(tuple(int(n) for n in np.random.default_rng(epoch).choice(10, epoch % 5 + 1, replace=False)))
        made = sample(row, view, 3, epoch)
        assert renumber(made.question, dict(enumerate(made.order)), "") == row.question
        assert renumber(made.answer, dict(enumerate(made.order)), "") == row.answer
        assert set(row.mentioned) <= set(made.order)
        for place, number in enumerate(made.order):
            assert made.highlights[place].box_xyxy == view.regions[number].box_xyxy
        shown.add(len(made.order) - len(row.mentioned))
        orders.add(made.order)
        assert made == sample(row, view, 3, epoch)
    assert shown == set(range(10))  # from none to all of the others, evenly
    assert len(orders) > 270


def test_what_is_not_shown_may_not_be_named():
    with pytest.raises(NotShown, match=r"\[2\], which is not shown"):
        show(made_row((1, 2)), made_view(5), [1])
    with pytest.raises(NotShown, match="no region 9"):
        show(made_row((1,)), made_view(5), [1, 9])
