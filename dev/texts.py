"""Does every command that a text names exist, with its options, its katas and its mistakes?"""

from __future__ import annotations

import ast
import importlib
import importlib.util
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import takewhile
from pathlib import Path
from typing import Any

from ..kata.slips import all_ids
from .layout import PACKAGE, Folder, known_katas, problem

__all__ = ["text_problems"]

# A command stands at the start of a line of code or in backticks, and ends where a
# backtick, a comment, a pipe or the wide gap before its explanation begins.
_COMMAND = re.compile(r"(?m)(?:^|`)[ \t]*(?:\$ )?(?:\.venv/bin/)?attn-kata[ \t]+([^`\n]*)")
_END = re.compile(r" {2,}|\s#|\s[|>&;]|-->")
_ID = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)+")
_TAKE_A_KATA = (
    "show", "learn", "questions", "start", "check", "watch", "run", "reset", "hint", "solution",
    "history", "forget",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Known:
    """What there is to name: commands with their options, katas, and ids to explain."""

    commands: dict[str, set[str]]
    katas: set[str]
    ids: set[str]


def text_problems(folder: Folder) -> Iterator[str]:
    """Yield every command in a text that cannot be typed. Needs the command line to be there."""
    commands = _commands()
    if commands is None:
        return
    known = _Known(commands, known_katas(folder), _ids() | all_ids(folder.path))
    for path in _texts(folder):
        text = path.read_text("utf-8")
        for match in _COMMAND.finditer(text):
            line = text.count("\n", 0, match.start(1)) + 1
            written = _END.split(match[1])[0].strip()
            home = "" if path.parent == PACKAGE else f"{path.parent.name}/"
            where = f"{home}{path.name}:{line}"
            for wrong, cure in _wrong(written, known):
                yield problem(where, f"`attn-kata {written}` {wrong}", cure)


def _texts(folder: Folder) -> list[Path]:
    found = [*folder.path.glob("*/brief.*.md"), *folder.path.glob("*/*.toml")]
    if folder.own:
        found += [PACKAGE / "README.md", PACKAGE / "CONTRIBUTING.md", *PACKAGE.glob("docs/*.md")]
    return sorted(path for path in found if path.is_file())


def _commands() -> dict[str, set[str]] | None:
    """Return each command's options, `dev check` under that name; None where there is no CLI."""
    if importlib.util.find_spec("attn_kata.cli") is None:
        return None
    from typer.main import get_command

    program = importlib.import_module("attn_kata.cli").program()
    return dict(_walk(get_command(program), ""))


def _walk(command: Any, name: str) -> Iterator[tuple[str, set[str]]]:
    """Yield a command and those under it, each with the options it takes."""
    options = {word for each in command.params for word in (*each.opts, *each.secondary_opts)}
    yield name, {word for word in options if word.startswith("-")} | {"--help"}
    for child, under in getattr(command, "commands", {}).items():
        yield from _walk(under, f"{name} {child}".strip())


@cache
def _ids() -> set[str]:
    """Return every id that the checker or the list of mistakes can say."""
    sources = [*(PACKAGE / "checker").rglob("*.py"), *(PACKAGE / "reference").glob("mistakes*.py")]
    return set(all_ids(PACKAGE / "kata")) | {
        node.value
        for path in sources
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and _ID.fullmatch(node.value)
    }


def _wrong(written: str, known: _Known) -> Iterator[tuple[str, str]]:
    """Yield what is wrong with one command, and the cure."""
    try:
        words = shlex.split(written)
    except ValueError as fault:
        yield f"cannot be split into words ({fault})", "close what it opens"
        return
    if not words:
        return
    options = [word.partition("=")[0] for word in words if word.startswith("-")]
    # What follows the first option may be that option's value.
    rest = list(takewhile(lambda word: not word.startswith("-"), words))
    # The longest run of words that is a command; a group that ends in a word it has not is none.
    name = next(n for n in (" ".join(rest[:k]) for k in (2, 1, 0)) if n in known.commands)
    groups = {each.rpartition(" ")[0] for each in known.commands if each}
    if rest[1 if name else 0 :] and name in groups:
        yield "is no command", f"there are {', '.join(sorted(filter(None, known.commands)))}"
        return
    for option in options:
        if option not in known.commands[name] | known.commands[""]:
            yield f"has no option {option}", f"see `attn-kata {name} --help`"
    first = rest[1] if len(rest) > 1 else None
    # Capitals stand for whatever the reader puts there, and a path names no kata.
    if first is None or first.isupper() or first in {"…", "..."} or "." in first:
        return
    if name in _TAKE_A_KATA and first not in known.katas:
        yield f"names `{first}`, which is no kata", "name one that `attn-kata list` shows"
    if name == "explain" and first not in known.ids | known.katas:
        yield f"names `{first}`, which is no id", "name a mistake or remark that the judge knows"
