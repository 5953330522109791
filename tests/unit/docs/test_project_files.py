"""What a published project carries beside its code."""

import ast
import tomllib
from collections import Counter

import yaml

from tests.support.paths import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def test_every_package_is_marked_as_typed():
    packages = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
    assert packages
    assert [name for name in packages if not (ROOT / name / "py.typed").exists()] == []


def test_the_citation_names_this_version():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert str(citation["version"]) == PROJECT["project"]["version"]
    assert citation["license"] == PROJECT["project"]["license"]


def test_what_the_page_on_notebooks_starts_is_installed_by_what_it_installs():
    page = (ROOT / "docs" / "notebooks.md").read_text(encoding="utf-8")
    commands = page.rpartition("```\n")[0].rpartition("```\n")[2]
    extra = PROJECT["project"]["optional-dependencies"]["notebooks"]
    assert ("jupyter lab" in commands, any(one.startswith("jupyterlab") for one in extra)) == (True, True)


def test_no_constant_of_a_module_is_given_two_values():
    files = [
        path
        for package in ("recon", "trajectories", "instructions", "roomtour")
        for path in (ROOT / package).rglob("*.py")
    ]
    twice = []
    for path in files:
        body = ast.parse(path.read_bytes()).body
        given = [node.targets[0] for node in body if isinstance(node, ast.Assign)]
        given += [node.target for node in body if isinstance(node, ast.AnnAssign)]
        names = Counter(name.id for target in given for name in ast.walk(target) if isinstance(name, ast.Name))
        twice += [f"{path.relative_to(ROOT)}: {name}" for name in names if names[name] > 1 and name.isupper()]
    assert files
    assert twice == []
