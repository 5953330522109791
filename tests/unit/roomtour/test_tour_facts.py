"""Facts of a tour: where they come from, that they change no result, and where they end up."""

import json
from dataclasses import replace

import pytest

from roomtour.errors import RoomtourError
from roomtour.export.core.ledger import ExportOptions
from roomtour.export.dataset import export_runs
from roomtour.export.registry import get_format
from roomtour.sources import plan_tours
from roomtour.tour_facts import TourFacts, facts_from_info, read_facts_beside
from tests.support.export.made_run import make_run

GIVEN = TourFacts(licence="CC-BY-4.0", title="A flat", author="Ann", url="https://a.example/1", home="h1")


def only(licences: str) -> ExportOptions:
    return get_format("jsonl").options(licences=licences)


def test_facts_lie_beside_a_tour_and_what_is_said_first_counts(tmp_path):
    said = TourFacts(licence="CC0-1.0").or_else(GIVEN)
    assert (said.licence, said.author, said.consent) == ("CC0-1.0", "Ann", "unknown")
    (tmp_path / "a.mp4").touch()
    (tmp_path / "a.tour.json").write_text('{"licence": "CC-BY-4.0", "home": "h"}')
    (tmp_path / "walk.v2").mkdir()
    (tmp_path / "walk.v2.tour.json").write_text('{"consent": "given"}')
    assert read_facts_beside(tmp_path / "a.mp4") == TourFacts(licence="CC-BY-4.0", home="h")
    assert read_facts_beside(tmp_path / "walk.v2").consent == "given"
    assert not read_facts_beside(tmp_path / "other.mp4").is_known
    info = {"title": "Tour", "channel": "Ann", "license": "Creative Commons Attribution", "epoch": 1767225600, "id": 7}
    read = facts_from_info(info)
    assert (read.licence, read.author, read.retrieved) == ("Creative Commons Attribution", "Ann", "2026-01-01")
    assert facts_from_info({"epoch": "soon", "title": None}) == TourFacts()
    (tmp_path / "b.mp4").touch()
    (tmp_path / "b.info.json").write_text(json.dumps(info))
    assert read_facts_beside(tmp_path / "b.mp4") == read


def test_a_broken_file_is_one_line(subtests, tmp_path):
    (tmp_path / "a.mp4").touch()
    for text, told in (
        ('{"license": "x"}', "unknown 'license'.*licence"),
        ('{"licence": 4}', "licence is 4, need a text"),
        ('{"consent": "maybe"}', "consent is 'maybe'"),
        ("[" * 100_000, "not valid JSON"),
        ("[]", "one JSON object"),
        ("{", "not valid JSON"),
    ):
        with subtests.test(text[:20]):
            (tmp_path / "a.tour.json").write_text(text)
            with pytest.raises(RoomtourError, match=told) as raised:
                read_facts_beside(tmp_path / "a.mp4")
            assert "a.tour.json" in str(raised.value)
            assert "\n" not in str(raised.value)


def test_a_list_names_tours_and_their_facts(tmp_path):
    rows = [{"source": "one.mp4", "licence": "CC0-1.0"}, {"source": str(tmp_path / "two.mp4"), "name": "second"}]
    (tmp_path / "tours.jsonl").write_text("\n".join(map(json.dumps, rows)) + "\n\n")
    (tmp_path / "one.mp4").touch()
    first, second = plan_tours([tmp_path / "tours.jsonl"], tmp_path / "out")
    assert (first.name, first.source, first.facts.licence) == ("one", tmp_path / "one.mp4", "CC0-1.0")
    assert (second.run, second.source) == (tmp_path / "out" / "second", tmp_path / "two.mp4")


def test_a_broken_list_is_one_line(subtests, tmp_path):
    for line, told in (
        ("{}", "line 1: need an object with"),
        ("[]", "line 1: need an object with"),
        ('{"source": "a.mp4", "name": "../x"}', "line 1: name is '../x'"),
        ('{"source": "a.mp4", "licens": "x"}', "line 1: unknown 'licens'"),
        ("nothing", "line 1: not valid JSON"),
        ("", "lists no tour"),
    ):
        with subtests.test(line):
            (tmp_path / "tours.jsonl").write_text(line)
            with pytest.raises(RoomtourError, match=told):
                plan_tours([tmp_path / "tours.jsonl"], tmp_path / "out")


def test_tours_of_one_home_fall_into_one_split():
    options = ExportOptions(val_share=0.5)
    tours = [f"t{number}" for number in range(40)]
    assert len({options.split_of(tour, "h1") for tour in tours}) == 1
    assert len({options.split_of(tour) for tour in tours}) == 2
    assert len({options.split_of(tour, f"h{number}") for number, tour in enumerate(tours)}) == 2


def test_consent_and_licence_decide_what_leaves(tmp_path):
    free = replace(make_run("free"), facts=replace(GIVEN, home="h2"))
    refused = replace(make_run("refused"), facts=replace(GIVEN, consent="refused"))
    report = export_runs([free, refused], "jsonl", tmp_path / "all")
    assert report.counts["tours"] == 1
    assert report.dropped["tour without consent"] == 1
    card = (tmp_path / "all" / "README.md").read_text()
    assert "https://a.example/1" in card
    assert "h2" in card
    assert "consent is refused" in card
    report = export_runs([free, make_run("ours")], "jsonl", tmp_path / "some", only("CC-BY-4.0, MIT"))
    assert report.counts["tours"] == 2
    with pytest.raises(RoomtourError, match=r"its licence is CC-BY-4\.0, asked for: CC0-1\.0"):
        export_runs([free], "jsonl", tmp_path / "none", only("CC0-1.0"))
