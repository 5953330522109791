"""What a published project carries beside its code: types, citation, templates, workflow, and the Python reference."""

import re
import tomllib

import pytest
import yaml

from docs.generate.modules import modules
from tests.support.paths import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PACKAGES = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]


def read_yaml(path: str):
    return yaml.safe_load((ROOT / path).read_text(encoding="utf-8"))


@pytest.mark.parametrize("package", PACKAGES)
def test_every_package_is_marked_as_typed(package):
    assert (ROOT / package / "py.typed").exists()


def test_the_citation_names_this_version_and_the_paper():
    citation = read_yaml("CITATION.cff")
    assert str(citation["version"]) == PROJECT["project"]["version"]
    assert citation["license"] == PROJECT["project"]["license"]
    (paper,) = citation["references"]
    assert paper["title"].startswith("RoomTour3D")
    assert (paper["authors"][0]["family-names"], paper["year"]) == ("Han", 2025)


@pytest.mark.parametrize("path", sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("[0-9]*.yml")), ids=lambda p: p.name)
def test_issue_forms_can_be_filled_in(path):
    form = read_yaml(str(path.relative_to(ROOT)))
    assert form["name"]
    assert form["description"]
    fields = [item for item in form["body"] if item["type"] != "markdown"]
    assert len({item["id"] for item in fields}) == len(fields)
    assert all(item["attributes"]["label"] for item in fields)


def test_the_hosted_workflow_runs_the_local_script_and_every_python_we_name():
    jobs = read_yaml(".github/workflows/ci.yml")["jobs"]
    assert any(step.get("run") == "bash .ci/run" for step in jobs["all"]["steps"])
    named = {line.rpartition(" ")[2] for line in PROJECT["project"]["classifiers"] if "Python :: 3." in line}
    assert set(jobs["fast"]["strategy"]["matrix"]["python"]) == named


def test_lint_imports_runs_in_ci_and_before_a_commit():
    assert "\nlint-imports\n" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    (repo,) = read_yaml(".pre-commit-config.yaml")["repos"]
    assert {"ruff check", "ruff format --check", "pyright", "lint-imports"} == {hook["entry"] for hook in repo["hooks"]}


@pytest.mark.parametrize("package", PACKAGES)
def test_the_reference_has_a_page_per_package(package):
    page = (ROOT / "docs" / "reference" / f"{package}.md").read_text(encoding="utf-8")
    assert f"<!-- generated: modules {package} -->" in page


@pytest.mark.parametrize("package", PACKAGES)
def test_the_reference_lists_every_module_with_something_public(package):
    listed = [line.removeprefix("::: ") for line in modules(package).splitlines() if line.startswith("::: ")]
    public = set()
    for path in (ROOT / package).rglob("*.py"):
        if re.search(r"^(class|def|async def) [a-zA-Z]", path.read_text(encoding="utf-8"), flags=re.MULTILINE):
            public.add(path.relative_to(ROOT).with_suffix("").as_posix().replace("/", "."))
    assert public
    assert sorted(listed) == sorted(name for name in public if not name.rpartition(".")[2].startswith("__"))


def test_modules_stand_under_the_heading_of_their_room():
    text = modules("recon")
    assert "::: recon.video.decode" in text.partition("\n## recon.video\n")[2].partition("\n## ")[0]
    assert "::: recon.geometry" in text.partition("## recon\n")[2].partition("\n## ")[0]


def test_a_package_that_is_not_there_is_refused():
    with pytest.raises(FileNotFoundError, match="no package"):
        modules("nothing")
