"""The dataset card: what lies in the folder, by which conventions, what is missing, and where it comes from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from recon.numerals import count
from recon.records import ScaleStatus
from roomtour.export.core.ledger import ExportOptions, Ledger

_SIDES = ("facing_simple", "facing_complex", "facing_side", "facing_clock")
_ELSEWHERE = ("view_side", "view_behind", "view_turn", "view_clock")
BENCHMARK_TASKS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "VSI-Bench": {
        "object_counting": ("vsi_object_counting", "counting"),
        "object_abs_distance": ("vsi_absolute_distance", "absolute_distance", "gap", "mark_pair_distance"),
        "object_size_estimation": ("vsi_object_size", "size_estimation", "height", "width"),
        "room_size_estimation": ("vsi_room_size",),
        "object_rel_distance": ("vsi_relative_distance", "relative_distance", "mark_closer_choice"),
        "object_rel_direction": ("vsi_direction_easy", "vsi_direction_medium", "vsi_direction_hard", *_SIDES),
        "route_planning": ("vsi_route_plan",),
        "obj_appearance_order": ("vsi_appearance_order", "appearance_order"),
    },
    "MMSI-Bench": {
        "Positional Relationship (Cam.-Cam.)": ("motion_ahead_choice", "motion_side_choice", "way_back_side_class"),
        "Positional Relationship (Cam.-Obj.)": _ELSEWHERE,
        "Positional Relationship (Obj.-Obj.)": ("facing_simple", "facing_complex", "relative_distance", "in_between"),
        "Attribute (Meas.)": ("size_comparison", "size_estimation", "absolute_distance"),
        "Motion (Cam.)": (
            *("motion_turn_choice", "motion_tilt_choice", "motion_height_choice", "motion_turn_angle"),
            *("motion_distance", "motion_description"),
        ),
        "MSR": ("compound_nearest_side", "compound_order_by_distance", "way_turn_choice"),
    },
    "MindCube": {
        "rotation": ("motion_turn_choice", "motion_turn_angle", "view_turn"),
        "around": _ELSEWHERE,
        "among": (*_ELSEWHERE, "facing_simple", "facing_complex"),
    },
    "ViewSpatial": {
        "Camera perspective - Relative Direction": ("left_right_class", "above_below_class", "behind_front_class"),
        "Person perspective - Scene Simulation Relative Direction": (*_SIDES, "vsi_direction_hard"),
    },
    "SITE": {
        "3d information understanding": ("mark_nearer_choice", "mark_depth_order", "mark_distance", "distance"),
        "counting & existence": ("counting", "vsi_object_counting"),
        "movement prediction & navigation": ("motion_ahead_choice", "motion_turn_choice", "way_next_choice"),
        "multi-view & cross-image reasoning": ("match_choice", "overlap_pair_choice", *_ELSEWHERE),
        "object localization & positioning": ("picture_quarter_class", "left_right_class", "above_below_class"),
        "spatial relationship reasoning": ("left_predicate", "right_predicate", "above_predicate", "below_predicate"),
    },
    "BLINK": {
        "Counting": ("counting",),
        "Multi-view_Reasoning": ("motion_side_choice", "motion_turn_choice"),
        "Relative_Depth": ("mark_nearer_choice", "mark_farther_predicate"),
        "Spatial_Relation": ("left_predicate", "right_predicate", "above_predicate", "below_predicate", "stands_on"),
        "Visual_Correspondence": ("match_choice",),
    },
    "3DSRBench": {
        "height_higher": ("mark_higher_choice", "mark_lower_predicate", "above_choice", "below_choice"),
        "location_above": ("above_predicate", "below_predicate"),
        "location_closer_to_camera": ("mark_nearer_choice", "camera_distance_relative", "front_choice"),
        "location_next_to": ("nearby", "gap"),
        "multi_object_closer_to": ("relative_distance", "mark_closer_choice"),
    },
    "EmbSpatial": {
        "left, right": ("left_predicate", "left_choice", "right_predicate", "right_choice", "picture_left_choice"),
        "above, under": ("above_predicate", "above_choice", "below_predicate", "below_choice"),
        "close, far": ("front_choice", "behind_choice", "camera_distance_relative", "mark_nearer_choice"),
    },
}
"""By benchmark and task as it names them, the types that ask for the same relation.

VSI-Bench-Debiased and MindCube-tiny are parts of theirs. A task that is missing has no counterpart: which way a thing
or a person itself faces, the motion of things, the attributes of regions, appearance."""


def match_tasks(types: Collection[str]) -> list[tuple[str, str, str]]:
    """Benchmark, task, and those of the types that correspond to it; tasks without one are left out."""
    rows = [
        (benchmark, task, ", ".join(f"`{name}`" for name in ours if name in types))
        for benchmark, tasks in BENCHMARK_TASKS.items()
        for task, ours in tasks.items()
    ]
    return [row for row in rows if row[2]]


if TYPE_CHECKING:
    from roomtour.export.registry import ExportFormat

_SCALE_MEANING: Mapping[ScaleStatus, str] = {
    "metric": "lengths are metres, from a sensor, a metric depth model or several kinds of things of known size",
    "assumed": "lengths are **assumed** metres: they rest on a prior such as the camera height, not on a measurement",
    "relative": "lengths have no scale; they are in units of the reconstruction, not metres",
}
_CHECKS = """\
`roomtour validate DATASET` compares every file with `SHA256SUMS`, and finds any change. Where the sums were removed, or
made anew after a change, it still finds rows that lack a field or contradict another file, pictures that are cut short,
numbers that are no rotation or no camera, and marks of chat templates in texts. It then cannot see:

* rows and pictures that are gone, and files of rows that were emptied, where no other file names them;
* pictures that were made smaller, where no row tells their size;
* pictures that show something else: black, exchanged, or of another place;
* texts, labels and answers that are well formed and say something else;
* poses that were exchanged or moved, and focal lengths of another camera, where no second file (`jsonl`) tells them."""


_FACTS = ("title", "author", "url", "consent", "retrieved", "home")
"""Facts of a tour that get a column as soon as one tour has them; the licence always has."""


def render_card(kind: ExportFormat, ledger: Ledger, options: ExportOptions) -> str:
    """The card as Markdown."""
    tours = ledger.tours
    statuses, splits = (Counter(getattr(tour, name) for tour in tours) for name in ("scale_status", "split"))
    scale = [
        f"* Scale `{status}` ({count(statuses[status], 'tour')}): {meaning}."
        for status, meaning in _SCALE_MEANING.items()
        if status in statuses
    ]
    notes = "\n".join([kind.convention, *(f"* {note}" for note in ledger.card_notes)])
    rule = f"By tour, never inside one (share of `val` {options.val_share:g}, seed {options.seed})."
    # What is wrong with tours that were exported with `--allow-errors` comes first.
    errors = "\n".join(f"> * {error}" for error in ledger.errors)
    sections = [
        *([f"{_WRONG}{errors}\n"] if errors else []),
        f"# {kind.name} export\n",
        f"{kind.summary[0].upper()}{kind.summary[1:]}. Made by roomtour; loaded by {kind.client}.\n",
        f"## Convention\n\n{notes}\n\n{chr(10).join(scale) or 'No tours.'}\n",
        f"## Counts\n\n{_table(('what', 'count'), sorted(ledger.counts.items()))}\n",
        f"## Splits\n\n{rule}\n\n{_table(('split', 'tours'), sorted(splits.items()))}\n",
        f"## Label balance\n\n{_balance(ledger)}\n{_mix(ledger)}",
        *_benchmarks(ledger),
        f"## Dropped\n\n{_format_dropped(ledger)}\n",
        f"## Provenance and licence\n\n{_provenance(ledger)}\n",
        f"## Checks\n\n{_CHECKS}\n",
    ]
    return ledger.card_header + "\n".join(sections)


_WRONG = """\
> **Errors: the geometry of these tours is wrong, and was exported because it was asked for.**
>
"""


def _mix(ledger: Ledger) -> str:
    """Kinds of dialogues, wanted and got; nothing for data without any."""
    total, whole = ledger.dialogue_kinds.total(), sum(ledger.dialogue_mix.values())
    if not total or not whole:
        return ""
    rows = [
        (kind, f"{share / whole:.1%}", f"{ledger.dialogue_kinds[kind] / total:.1%}")
        for kind, share in ledger.dialogue_mix.items()
    ]
    lead = "Dialogues by kind; what lacks is told, never repeated, so that training can weigh kinds:"
    return f"\n{lead}\n\n{_table(('kind', 'wanted', 'got'), rows)}\n"


def _balance(ledger: Ledger) -> str:
    total = sum(ledger.labels.values())
    if not total:
        return "This format has no action labels."
    rows = [(label, f"{count} ({count / total:.1%})") for label, count in ledger.labels.most_common()]
    return f"Steps by action, of {total}:\n\n{_table(('action', 'steps'), rows)}"


def _benchmarks(ledger: Ledger) -> list[str]:
    """The section about public benchmarks; none for data without such questions."""
    rows = match_tasks(ledger.question_types)
    if not rows:
        return []
    return [
        "## Benchmarks\n\nTasks of public benchmarks that ask for the same relations; their words, pictures and "
        f"options are their own.\n\n{_table(('benchmark', 'task', 'types here'), rows)}\n"
    ]


def _format_dropped(ledger: Ledger) -> str:
    rows = sorted(ledger.dropped.items(), key=lambda item: (-item[1], item[0]))
    text = _table(("reason", "count"), rows) if rows else "Nothing."
    return "\n".join([text, *(f"* {finding}" for finding in ledger.findings)])


def _provenance(ledger: Ledger) -> str:
    columns = ("tour", "split", "source", "sha256", "licence", "scale", "registered", "models", "made by", "settings")
    known = [name for name in _FACTS if any(name in entry.facts for entry in ledger.tours)]
    rows = [
        (
            entry.tour,
            entry.split,
            entry.source,
            entry.source_sha256[:12],
            entry.licence,
            f"{entry.scale_status}: {entry.scale_source}",
            f"{entry.registered} of {entry.frames}",
            entry.models,
            entry.software,
            entry.settings,
            *(entry.facts.get(name, "") for name in known),
        )
        for entry in ledger.tours
    ]
    table = _table((*columns, *known), rows)
    unknown = sum(entry.licence.strip().lower() in ("", "unknown") for entry in ledger.tours)
    if unknown:
        table += (
            f"\n\n**The licence of {unknown} of {count(len(rows), 'tour')} is unknown: settle it before publishing.**"
        )
    return f"{table}\n\nThe settings are in `export.json`: options and library versions of each run."


def _table(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    if not rows:
        return "None."
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join("| " + " | ".join(_cell(value) for value in line) + " |" for line in lines)


def _cell(value: object) -> str:
    return " ".join(str(value).replace("|", "\\|").split())
