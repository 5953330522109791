"""What was left out while images were read, and the findings that tell it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from recon.findings import Finding


@dataclass(eq=False)
class Outcome:
    """Filled while images are read."""

    images: int = 0
    """That were kept."""
    models: int = 0
    is_filtered: bool = True
    """Whether anything could tell photos from the rest, or was asked not to."""
    no_photos: list[str] = field(default_factory=list)
    without_depth: list[str] = field(default_factory=list)
    not_upright: int = 0
    detections: int = 0
    unknown_images: list[str] = field(default_factory=list)
    """That a file of boxes tells things of, and that are not among the images."""
    things_left_out: Counter[str] = field(default_factory=Counter)
    """Things, by reason."""

    def findings(self, tour: str) -> tuple[Finding, ...]:
        """What a user should know."""
        return tuple(self._tell(tour))

    def _tell(self, tour: str) -> Iterator[Finding]:
        if not self.is_filtered:
            yield Finding(
                "info",
                "import.not_filtered",
                tour,
                f"all {self.images} images were kept, screenshots and paintings too: no model that compares pictures "
                "with words is on this machine (roomtour models pull)",
            )
        if self.no_photos:
            yield Finding(
                "warning",
                "import.no_photo",
                tour,
                f"{len(self.no_photos)} images look like no photo of a place and were left out "
                f"({_some(self.no_photos)}); keep them with --keep-all",
            )
        if self.without_depth:
            yield Finding(
                "warning",
                "import.no_depth",
                tour,
                f"{len(self.without_depth)} of {self.images} images have no depth ({_some(self.without_depth)}), so "
                "they have no pose and nothing is asked about distances; give depth and intrinsics in images.jsonl",
            )
        if self.not_upright:
            yield Finding(
                "info",
                "import.not_upright",
                tour,
                f"{self.not_upright} of {self.models} images show too little ground to tell what is up (5 % of the "
                "pixels, on one plane), so nothing is asked about heights there; give masks of the ground",
            )
        if not self.detections:
            yield Finding("warning", "import.no_things", tour, "no image has things; give them, or --detections FILE")
        if self.unknown_images:
            yield Finding(
                "warning",
                "import.unknown_images",
                tour,
                f"--detections tells things of {len(self.unknown_images)} images that are not there "
                f"({_some(self.unknown_images)}); images go by their path as given or by their file name",
            )
        for reason, count in self.things_left_out.items():
            if count:
                yield Finding("warning", "import.left_out", tour, f"{count} things left out: {reason}")


def _some(names: list[str]) -> str:
    return ", ".join(names[:3]) + (", ..." if len(names) > 3 else "")
