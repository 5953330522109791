"""`roomtour completion`: a script that lets a shell complete commands, their actions, flags and choices."""

from __future__ import annotations

import re
from typing import Literal

import tyro

from roomtour.cli.catalog import COMMANDS, capture_help
from roomtour.options.fields import config_options

_FLAG = re.compile(r"(?<![\w-])--[a-z][a-z0-9.-]*[a-z0-9]")
_CHOICE = re.compile(r"\{([a-z0-9_,|-]+)\}")
_WIDE = 200
"""Letters of a line of help, so that no flag is folded."""
_PROCESSING = ("process", "batch")
"""Commands that take every option of the pipeline, of which their help lists the common ones."""
_BASH = """\
_roomtour() {{
    local word="${{COMP_WORDS[COMP_CWORD]}}" before="${{COMP_WORDS[COMP_CWORD-1]}}" words=""
    if [ "$COMP_CWORD" -eq 1 ]; then
        words="{commands} --help --version"
    elif [[ "$word" == -* ]]; then
        case "${{COMP_WORDS[1]}}" in
{flags}
        esac
    else
        case "${{COMP_WORDS[1]}} $before" in
{choices}
        esac
    fi
    COMPREPLY=($(compgen -W "$words" -- "$word"))
}}
complete -o default -F _roomtour roomtour
"""


def completion(shell: tyro.conf.Positional[Literal["bash", "zsh"]], /) -> int:
    """Print a script that completes roomtour's commands, flags and choices in a shell.

    bash: `roomtour completion bash > ~/.local/share/bash-completion/completions/roomtour`, then a new shell. zsh:
    `roomtour completion zsh > ~/.roomtour.zsh`, and `source ~/.roomtour.zsh` in ~/.zshrc.

    Args:
        shell: Whose script.
    """
    if shell == "zsh":
        print("autoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit")
    print(render_script(), end="")
    return 0


def render_script() -> str:
    """The script for bash, out of what the commands print as their help and of the options of the pipeline."""
    flags: dict[str, list[str]] = {}
    choices: dict[str, list[str]] = {}
    for name in COMMANDS:
        told = capture_help(name, _WIDE)
        flags[name] = [*_FLAG.findall(told), "--help"]
        actions = _find_actions(name, told)
        if actions:
            choices[f"{name} {name}"] = actions
    for option in config_options():
        for name in _PROCESSING:
            flags[name] += [option.flag, *([option.off_flag] if option.kind.is_switch else [])]
            if option.kind.choices:
                choices[f"{name} {option.flag}"] = list(option.kind.choices)
    return _BASH.format(
        commands=" ".join(COMMANDS),
        flags="\n".join(_render_case(name, words) for name, words in flags.items()),
        choices="\n".join(_render_case(name, words) for name, words in choices.items()),
    )


def _find_actions(name: str, told: str) -> list[str]:
    """Words that may stand right behind a command: those of its usage, or of its first positional argument."""
    usage = told.partition("\n\n")[0]
    listed = _CHOICE.search(usage)
    if listed:
        return re.split("[,|]", listed[1])
    return list(dict.fromkeys(re.findall(rf"roomtour {name} ([a-z]+)\b", usage)))


def _render_case(name: str, words: list[str]) -> str:
    return f'            "{name}") words="{" ".join(sorted(set(words)))}" ;;'
