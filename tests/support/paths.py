"""Where the repository, its example and the test data lie."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "tests" / "data"
EXAMPLES = ROOT / "examples"
APARTMENT_TRUTH = EXAMPLES / "apartment_truth"
