"""Mistakes that once went unnoticed: each is made in the code, and some test must fail.

    pip install cosmic-ray
    python benchmarks/named_mutants.py [WORD ...]

Only those with one of the words in their names, if any are given. As in `mutation.py` no file is changed, and each runs
against the fast tests of its module, which must pass without it. Ends with 1 if one was not noticed.
"""

from __future__ import annotations

import os
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from mutation import ROOT, Mutant, import_heavy, run_tests

_MERGES = "tests/full/recon/merging/test_bars_merging.py"
_AUDIT, _UPRIGHT = "tests/unit/recon/audit", "tests/unit/recon/upright"
_CLAIMS = "tests/unit/instructions/claims"


@dataclass(frozen=True)
class Mistake:
    """One place of a module, and what it becomes."""

    name: str
    path: str
    before: str
    """Stands once in the file."""
    after: str
    tests: tuple[str, ...]

    def make(self) -> Mutant:
        """The changed module.

        Raises:
            SystemExit: If the file no longer has the place, or has it more than once.
        """
        source = (ROOT / self.path).read_text(encoding="utf-8")
        if (count := source.count(self.before)) != 1:
            sys.exit(f"{self.name}: {self.path} has {count} times, need once: {self.before}")
        line = source[: source.index(self.before)].count("\n") + 1
        changed = source.replace(self.before, self.after)
        return Mutant(Path(self.path), self.name, changed, line, self.before, self.after)


_CONTRADICTIONS = "recon/audit/contradictions.py"
_JOIN, _MERGE = "recon/merging/join.py", "recon/merging/merge.py"
_BRIDGE, _BARS = "recon/merging/bridge.py", "instructions/claims/walk_bars.py"
_PAIRS = (_AUDIT,)

MISTAKES = (
    Mistake(
        "contradictions: no `elsewhere`", _CONTRADICTIONS, "contradicts=elsewhere\n        and ", "contradicts=", _PAIRS
    ),
    Mistake(
        "contradictions: no parallax guard",
        _CONTRADICTIONS,
        "or by_model.parallax_deg < options.min_parallax_deg",
        "or by_model.parallax_deg < 0.0",
        _PAIRS,
    ),
    Mistake(
        "join: steps or depth",
        "recon/merging/links.py",
        "step and off > MAX_MOVE_DEPTHS",
        "step or off > MAX_MOVE_DEPTHS",
        (_MERGES,),
    ),
    Mistake(
        "merge: nearly all pairs may contradict a link",
        "recon/merging/join.py",
        "_MOST_AGAINST = 0.2",
        "_MOST_AGAINST = 0.95",
        (_MERGES,),
    ),
    Mistake(
        "solve: every link is known alike",
        "recon/merging/links.py",
        "return off / np.array([scale, *[turn] * 3, *[shift] * 3])",
        "return off",
        ("tests/full/recon/merging/test_solve.py",),
    ),
    Mistake(
        "merge: growth has no reach",
        "recon/merging/join.py",
        "_GROWTH_REACH = 20",
        "_GROWTH_REACH = 1_000_000",
        (_MERGES,),
    ),
    Mistake("merge: bridges despite look-alikes", _MERGE, "is not None and look_alikes.ok", "is not None", (_MERGES,)),
    Mistake(
        "gravity: any path is level",
        "recon/upright/gravity.py",
        "keep = sigma < 4 * floor",
        "keep = sigma < 400 * floor",
        (_UPRIGHT,),
    ),
    Mistake(
        "metric_scale: the median deviation itself",
        "recon/upright/metric_scale.py",
        "sigma = 1.4826 * float",
        "sigma = float",
        (_UPRIGHT,),
    ),
    Mistake(
        "scale_hold: the left side alone",
        "recon/audit/scale_hold.py",
        " + 1.0 / np.maximum(known_right, 1e-9)",
        "",
        (_AUDIT,),
    ),
    Mistake(
        "scale_hold: the right side alone",
        "recon/audit/scale_hold.py",
        "1.0 / np.maximum(known_left, 1e-9) + ",
        "",
        (_AUDIT,),
    ),
    Mistake(
        "view_change: a nod is a change of view",
        "trajectories/view_change.py",
        " or abs(turned) < options.min_change_deg / 2",
        "",
        ("tests/unit/trajectories",),
    ),
    Mistake(
        "checks: a pass at any distance",
        "instructions/claims/walk_claims.py",
        "is_aside and falls_behind and by.distance <= bars.pass_within_m",
        "is_aside and falls_behind",
        (_CLAIMS,),
    ),
    Mistake(
        "checks: a walk to any side", _BARS, "walk_off_deg: float = 60.0", "walk_off_deg: float = 170.0", (_CLAIMS,)
    ),
    Mistake("checks: in front at any angle", _BARS, "front_deg: float = 25.0", "front_deg: float = 180.0", (_CLAIMS,)),
    Mistake(
        "checks: a claim's slight turn",
        _BARS,
        "slight_most_deg: float = 75.0",
        "slight_most_deg: float = 200.0",
        (_CLAIMS,),
    ),
)


def main() -> None:
    words = sys.argv[1:]
    os.chdir(ROOT)
    sys.path.insert(0, str(ROOT))
    import_heavy()
    asked = [mistake for mistake in MISTAKES if not words or any(word in mistake.name for word in words)]
    noticed = 0
    sound: dict[tuple[str, ...], bool] = {}
    with tempfile.TemporaryDirectory() as compiled:
        sys.pycache_prefix, sys.dont_write_bytecode = compiled, False
        for mistake in asked:
            if mistake.tests not in sound:
                sound[mistake.tests] = not run_tests(mistake.tests, None, _MOST_S)[0]
            if not sound[mistake.tests]:
                sys.exit(f"its tests fail without any change; run them alone: pytest {' '.join(mistake.tests)}")
            fails, took_s = run_tests(mistake.tests, mistake.make(), _MOST_S)
            noticed += fails
            said = "noticed" if fails else "NOT noticed"
            print(f"{said:12} {mistake.name} ({mistake.path}), {took_s:.1f} CPU-s", flush=True)
    print(f"{noticed} of {len(asked)} noticed")
    sys.exit(0 if noticed == len(asked) else 1)


_MOST_S = 120
"""CPU time of one run of tests."""

if __name__ == "__main__":
    main()
