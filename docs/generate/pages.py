"""What replaces the markers in the pages: options, commands, formats and finding codes as Markdown."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from docs.generate.finding_codes import finding_codes
from docs.generate.modules import modules
from roomtour.cli.parsing.process_flags import COMMON_OPTIONS
from roomtour.options.fields import Option, config_options, config_sections, options_of

_MARKER = re.compile(r"^<!-- generated: ([a-z]+)(?: ([a-z]+))? -->$", re.MULTILINE)
_FINDING_HEADING = re.compile(r"^### `([a-z]+\.[a-z_]+)`$", re.MULTILINE)


def fill(markdown: str) -> str:
    """Put what the code says in place of each `<!-- generated: NAME -->` or `<!-- generated: NAME ARGUMENT -->` line.

    Raises:
        KeyError: For a name nothing is generated for.
    """
    makers = {
        **{"options": options, "commands": commands, "formats": formats, "modules": modules, "artifacts": artifacts},
        **{
            "marktypes": mark_types,
            "types": question_types,
            "gates": gates,
            "programtypes": program_types,
            "benchmarktasks": benchmark_tasks,
        },
    }
    return _MARKER.sub(lambda found: makers[found[1]](*filter(None, [found[2]])), markdown)


def options() -> str:
    """Every option of `roomtour process`, by section."""
    listed = {name for names in COMMON_OPTIONS.values() for name in names}
    parts = ["## General", _table([option for option in config_options() if not option.section], listed)]
    for section, text in config_sections().items():
        own = [option for option in config_options() if option.section == section]
        parts += [f"## `{section}`", f"{text}.", _table(own, listed)]
    return "\n\n".join(parts)


def formats() -> str:
    """Every export format with its options."""
    from roomtour.export.registry import FORMATS

    parts = []
    for kind in sorted(FORMATS.values(), key=lambda kind: kind.name):
        parts += [
            f"## `{kind.name}`",
            f"{kind.summary[0].upper()}{kind.summary[1:]}.",
            f"**Loaded by** {kind.client}. **Needs** {kind.needs}.",
            kind.convention.strip(),
            _table(options_of(kind.options.__module__, kind.options.__qualname__)),
        ]
    return "\n\n".join(parts)


def artifacts() -> str:
    """Every file that stages make."""
    from roomtour.artifacts import ARTIFACTS
    from roomtour.run import Run

    lines = ["| path | stage | in Python | what |", "|---|---|---|---|"]
    for one in ARTIFACTS.values():
        name = f"`run.{one.name}`" if hasattr(Run, one.name) else ""
        lines.append(f"| `{one.path}` | `{one.stage}` | {name} | {_cell(one.text)} |")
    return "\n".join(lines)


def question_types() -> str:
    """Every type of spatial question with its definition and a template."""
    from instructions.questions.things.registry import THING_TYPES
    from instructions.questions.wording.templates import define_type, templates_of

    lines = ["| type | answer | needs a vertical | what is true | such as |", "|---|---|---|---|---|"]
    for name, kind in THING_TYPES.items():
        definition = define_type(name)
        asked = templates_of(name).get("questions", ("any question of the other types about {A} and {B}",))
        example = asked[0].replace("{A.Is}", "Is").replace("{A.is}", "is")
        form = kind.form.replace("_", " or ")
        cells = (f"`{name}`", form, "yes" if kind.upright else "", definition, example)
        lines.append(f"| {' | '.join(_cell(cell) for cell in cells)} |")
    return "\n".join(lines)


def mark_types() -> str:
    """Every type of question without names, family by family, with its definition and a template."""
    from instructions.questions.registry import MARK_TYPES, PICTURE_TYPES

    lines = ["| type | family | pictures | answer | what is true | such as |", "|---|---|---|---|---|---|"]
    for name, kind in {**MARK_TYPES, **PICTURE_TYPES}.items():
        needs = ("vertical",) * kind.upright + ("meters",) * kind.metric
        answer = kind.form.replace("_", " ") + (f" (needs {' and '.join(needs)})" if needs else "")
        family = kind.family.replace("_", " ")
        asked = kind.questions[0].replace(" {choices}", "")
        lines.append(
            f"| `{name}` | {family} | {kind.pictures} | {answer} | {_cell(kind.definition)} | {_cell(asked)} |"
        )
    return "\n".join(lines)


def program_types() -> str:
    """Every type of question answered by programs, with its definition and a template."""
    from instructions.questions.sets.judging import SET_TYPES
    from instructions.questions.wording.templates import templates_of

    lines = ["| type | about | answer | unit | what is true | such as |", "|---|---|---|---|---|---|"]
    for name, kind in SET_TYPES.items():
        example = re.sub(r"\{[A-F]\.(\w+)\}", r"\1", templates_of(kind.template)["questions"][0])
        form = kind.form.replace("_", " or ")
        cells = (f"`{name}`", ", ".join(kind.media), form, kind.unit, kind.definition, example)
        lines.append(f"| {' | '.join(_cell(cell) for cell in cells)} |")
    return "\n".join(lines)


def benchmark_tasks() -> str:
    """Tasks of public benchmarks, and the types that correspond to them."""
    from instructions.questions.registry import ALL_TYPES
    from roomtour.export.card import match_tasks

    rows = (f"| {' | '.join(map(_cell, row))} |" for row in match_tasks(ALL_TYPES))
    return "\n".join(["| benchmark | task | types |", "|---|---|---|", *rows])


def gates() -> str:
    """Every reason why a question is not asked."""
    from instructions.asking.gates import REASONS

    lines = [
        "| reason | what it means |",
        "|---|---|",
        *(f"| `{name}` | {_cell(text)} |" for name, text in REASONS.items()),
    ]
    return "\n".join(lines)


def commands() -> str:
    """The help of every command, 100 letters wide."""
    from roomtour.cli.catalog import COMMANDS, capture_help

    parts = []
    for name in COMMANDS:
        parts += [f"## `roomtour {name}`", f"```text\n{capture_help(name, 100).rstrip()}\n```"]
    return "\n\n".join(parts)


def mark_findings(markdown: str) -> str:
    """Under the heading of each code, how serious it is and which file it comes from."""
    known = {found.code: found for found in finding_codes()}

    def mark(heading: re.Match[str]) -> str:
        found = known[heading[1]]
        words = " or ".join("note" if word == "info" else word for word in found.severities)
        files = ", ".join(f"`{file}`" for file in found.files)
        return f"{heading[0]}\n\n<small>{words} · {files}</small>"

    return _FINDING_HEADING.sub(mark, markdown)


def list_documented_codes(markdown: str) -> tuple[str, ...]:
    """The codes a page of findings has a heading for, in its order."""
    return tuple(_FINDING_HEADING.findall(markdown))


def _table(rows: Iterable[Option], listed: Collection[str] = ()) -> str:
    """One row per option; those that the help lists by the flag it gives them."""
    lines = ["| option | value | unit, range | default | what it does |", "|---|---|---|---|---|"]
    for row in rows:
        name = row.flag if row.name in listed else row.name
        cells = (f"`{name}`", row.kind.text, row.takes, row.default, row.text)
        lines.append(f"| {' | '.join(_cell(cell) for cell in cells)} |")
    return "\n".join(lines) if len(lines) > 2 else "No options."


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")
