from dataclasses import dataclass

from roomtour.files.row_table import make_table


@dataclass(frozen=True)
class _Place:
    x: float


@dataclass(frozen=True)
class _Row:
    name: str
    place: _Place | None
    said: float | str


def test_records_become_structs_and_values_of_no_common_type_json_text():
    table = make_table([_Row("a", _Place(1.5), "far"), _Row("ä", None, 2.0)], _Row)
    assert table.column_names == ["name", "place", "said"]
    assert table.to_pylist() == [
        {"name": "a", "place": {"x": 1.5}, "said": '"far"'},
        {"name": "ä", "place": None, "said": "2.0"},
    ]
    assert make_table([], _Row).num_rows == 0
