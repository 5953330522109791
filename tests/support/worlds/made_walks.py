"""Many small walks among boxes, for counting how often texts and checks are right."""

import numpy as np

from tests.support.worlds.boxworld import RGB, Box, World, make_world


def random_world(seed: int) -> World:
    """Two or three straight legs with turns of 60 to 180 degrees between them, boxes on both sides and at the end."""
    rng = np.random.default_rng(seed)
    legs: list[tuple[str, float]] = []
    x = y = 0.0
    heading = float(rng.uniform(-180, 180))
    start = (x, y, heading)
    colors = list(rng.permutation(list(RGB)))
    boxes: list[Box] = []
    for number in range(int(rng.integers(2, 4))):
        if number:
            turn = float(rng.choice([-180.0, -90.0, -70.0, 70.0, 90.0]))
            legs.append(("turn", turn))
            heading += turn
        length = float(rng.uniform(3.0, 6.0))
        forward = np.array([np.cos(np.radians(heading)), np.sin(np.radians(heading))])
        left = np.array([-forward[1], forward[0]])
        for along in (0.6 * length, length + 1.8):
            aside = float(rng.choice([-1.0, 1.0]) * rng.uniform(1.0, 1.8)) if along < length else 0.0
            place = np.array([x, y]) + along * forward + aside * left
            is_free = all(np.hypot(place[0] - box.x, place[1] - box.y) > 1.5 for box in boxes)
            if colors and is_free:
                size = (float(rng.uniform(0.5, 1.0)), float(rng.uniform(0.4, 0.7)), float(rng.uniform(0.8, 1.9)))
                boxes.append(
                    Box(str(colors.pop()), float(place[0]), float(place[1]), size, float(rng.uniform(-90, 90)))
                )
        legs.append(("walk", length))
        x, y = (np.array([x, y]) + length * forward).tolist()
    return make_world(boxes, legs, start, walls=(), seed=seed)
