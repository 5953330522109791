"""What the documentation says against what the code has."""

import re

from docs.generate import pages
from docs.generate.finding_codes import finding_codes, unreadable_places
from docs.generate.modules import modules
from roomtour.artifacts import ARTIFACTS
from roomtour.export.registry import FORMATS
from roomtour.options.fields import config_options
from roomtour.stages.table import STAGE_NAMES, STAGES
from tests.support.paths import ROOT

DOCS = ROOT / "docs"
FINDINGS = (DOCS / "findings.md").read_text(encoding="utf-8")


def test_every_finding_code_of_the_source_is_explained_and_no_other():
    assert sorted(pages.list_documented_codes(FINDINGS)) == [found.code for found in finding_codes()]


def test_no_finding_code_hides_from_that_test():
    """The ledger of exports passes on the code it is given; its callers are read instead."""
    assert [place.rpartition(":")[0] for place in unreadable_places()] == ["roomtour/export/core/ledger.py"]


def test_errors_say_what_to_try():
    sections = re.split(r"^### `([^`]+)`$", FINDINGS, flags=re.MULTILINE)
    text = dict(zip(sections[1::2], sections[2::2], strict=True))
    errors = [found.code for found in finding_codes() if "error" in found.severities]
    assert errors
    assert [code for code in errors if "**Try**" not in text.get(code, "")] == []


def test_every_option_is_on_the_page():
    page = pages.options()
    named = re.findall(r"^\| `(?:--)?([a-z0-9._-]+)`", page, re.MULTILINE)
    assert sorted(name.replace("-", "_") for name in named) == sorted(option.name for option in config_options())
    assert "| `--sample.fps` | float | above 0 to 1000 | 3.0 | Frames kept per second" in page
    assert "| `pose_source.max_gap_s` | float | s, at least 0 | 0.1 |" in page


def test_pipeline_page_tells_every_stage_in_order():
    page = (DOCS / "pipeline.md").read_text(encoding="utf-8")
    assert tuple(re.findall(r"^## .+ \(`(.+)`\)$", page, re.MULTILINE)) == STAGE_NAMES


def test_run_folder_page_names_every_output():
    page = pages.fill((DOCS / "run-folder.md").read_text(encoding="utf-8"))
    outputs = [output for stage in STAGES for output in stage.outputs]
    assert [output for output in outputs if f"`{output}" not in page] == []


def test_every_artifact_lies_in_an_output_of_its_stage():
    outputs = {stage.name: stage.outputs for stage in STAGES}
    for one in ARTIFACTS.values():
        assert any(one.path == output or one.path.startswith(f"{output}/") for output in outputs[one.stage]), one.name


def test_every_format_is_on_the_page():
    page = pages.formats()
    assert re.findall(r"^## `(.+)`$", page, re.MULTILINE) == sorted(FORMATS)
    for kind in FORMATS.values():
        assert kind.client in page
        assert kind.convention.strip() in page
    assert "| `val_share` | float | share, 0 to 1 | 0.0 |" in page


def test_every_command_is_on_the_page():
    page = pages.commands()
    named = re.findall(r"^## `roomtour (.+)`$", page, re.MULTILINE)
    assert {"process", "show", "report", "export", "validate"} <= set(named)
    assert page.count("usage: roomtour ") == len(named)
    assert "--recon.init-min-angle-deg" not in page


def test_the_reference_lists_every_module_with_something_public():
    for package in ("recon", "trajectories", "instructions", "roomtour"):
        page = (DOCS / "reference" / f"{package}.md").read_text(encoding="utf-8")
        assert f"<!-- generated: modules {package} -->" in page
        listed = [line.removeprefix("::: ") for line in modules(package).splitlines() if line.startswith("::: ")]
        public = set()
        for path in (ROOT / package).rglob("*.py"):
            if re.search(r"^(class|def|async def) [a-zA-Z]", path.read_text(encoding="utf-8"), flags=re.MULTILINE):
                public.add(path.relative_to(ROOT).with_suffix("").as_posix().replace("/", "."))
        assert sorted(listed) == sorted(name for name in public if not name.rpartition(".")[2].startswith("__")) != []
