"""Which kata a file answers, by what it says itself: read and parsed, never run."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ..kata.catalogue import Kata, UnknownKata, find, katas, known
from .errors import Refusal

__all__ = [
    "ENDINGS", "INPUT", "Fit", "answers", "fits", "header_in", "header_of", "kata_called",
    "kata_of", "says_exercise",
]  # fmt: skip

ENDINGS = (".py", ".ipynb")
# What stands for standard input, on the command line and in a report.
INPUT = "-"
_LARGEST = 4 << 20
_HEADER = re.compile(r"#\s*attn-kata:\s*(\S+)")
_EXERCISE = re.compile(r"#\s*attn-kata: \S+ debug ")


@dataclass(frozen=True, slots=True)
class Fit:
    """What a file defines for a kata: the class, or the first function, and its line."""

    kata: Kata
    name: str
    line: int


def kata_called(name: str) -> Kata:
    """Return a kata by name; raise Refusal with the nearest names."""
    try:
        return find(name)
    except UnknownKata as unknown:
        names = ("katas", " ".join(kata.id for kata in katas()))
        near = tuple(f"`{near}`" for near in unknown.nearest)
        key = "no-kata-near" if near else "no-kata"
        raise Refusal(key, name=name, nearest=near, notes=(names,), commands=("list",)) from None


def kata_of(file: Path, called: str, command: str, *, functions: bool = True) -> Kata:
    """Return the kata of a file: by its header, its name and what it defines.

    called: how the person named the file; command: what was typed with it. functions: whether
    those count too, as they do in a file that was named. Raise Refusal where nothing says it,
    or where it defines the classes of several.
    """
    header = header_of(file)
    if header:
        return kata_called(header)
    by_name = known(file.stem)
    found = answers(file, functions=functions)
    if by_name is not None and (not found or by_name in [fit.kata for fit in found]):
        return by_name
    if len(found) == 1:
        return found[0].kata
    if found:
        raise _several(found, called, command)
    key = "input-unknown" if called == INPUT else "kata-unknown"
    raise Refusal(
        key,
        file=called,
        notes=(("how", f"{key}-how"),),
        commands=(f"{command} mha {_typed(called)}",),
    )


def answers(file: Path, *, functions: bool = True) -> list[Fit]:
    """Return the katas whose class a file defines; without one, those of its functions."""
    from ..checker import Unreadable, read

    try:
        # A pipe is read once, by the judge; only a real file is looked into here.
        if not file.is_file() or not _mentions(file):
            return []
        tree = read(file).tree
    except (Unreadable, OSError):
        return []
    return fits(tree, functions=functions)


def fits(tree: ast.Module, *, functions: bool = True) -> list[Fit]:
    """The same of what was read already."""
    body = tree.body
    classes = {node.name: node.lineno for node in body if isinstance(node, ast.ClassDef)}
    defined = {node.name: node.lineno for node in body if isinstance(node, ast.FunctionDef)}
    # A file with kernels is an answer to a kata of kernels, and no other file is.
    some = [kata for kata in katas() if kata.kernels == _has_kernels(body)]
    asked = {True: [one for one in some if one.kind != "function"],
             False: [one for one in some if one.kind == "function"]}  # fmt: skip
    return _fits(asked[True], classes) or _fits(asked[False], defined if functions else {})


def _has_kernels(body: Sequence[ast.stmt]) -> bool:
    """Whether a file imports Triton."""
    names = [one.name for node in body if isinstance(node, ast.Import) for one in node.names]
    names += [node.module or "" for node in body if isinstance(node, ast.ImportFrom)]
    return any(name.partition(".")[0] == "triton" for name in names)


def _mentions(file: Path) -> bool:
    """Whether a file may define anything that a kata asks for: most need no parsing."""
    with file.open("rb") as stream:
        return _asked_for().search(stream.read(_LARGEST)) is not None


@cache
def _asked_for() -> re.Pattern[bytes]:
    names = "|".join(sorted({name for kata in katas() for name in kata.names}))
    return re.compile(rf"(?:class|def)\s+(?:{names})\b".encode())


def _fits(asked: Sequence[Kata], defined: dict[str, int]) -> list[Fit]:
    """The katas of which a file has all the names, or else some; the larger before its part."""
    have = {kata.id: [name for name in kata.names if name in defined] for kata in asked}
    some = [kata for kata in asked if have[kata.id]]
    chosen = [kata for kata in some if len(have[kata.id]) == len(kata.names)] or some
    return [
        Fit(kata, have[kata.id][0], defined[have[kata.id][0]])
        for kata in chosen
        if not any(set(have[kata.id]) < set(have[other.id]) for other in chosen)
    ]


def _several(found: Sequence[Fit], called: str, command: str) -> Refusal:
    told = ", ".join(f"{fit.name} ({fit.kata.id}, {called}:{fit.line})" for fit in found)
    commands = tuple(f"{command} {fit.kata.id} {_typed(called)}" for fit in found)
    return Refusal("kata-several", file=called, notes=(("defines", told),), commands=commands)


def _typed(called: str) -> str:
    """How a file is typed again: the screen quotes `{file}`, which `-` is not."""
    return INPUT if called == INPUT else "{file}"


def header_of(file: Path) -> str | None:
    """Return the kata that a file's first line names (`# attn-kata: v3`), None without one."""
    return header_in(_first_line(file))


def says_exercise(file: Path) -> bool:
    """Whether a file's first line is an exercise's, with planted bugs; whose, is read elsewhere."""
    return _EXERCISE.match(_first_line(file).strip()) is not None


def _first_line(file: Path) -> str:
    try:
        if not file.is_file():
            return ""
        with file.open("rb") as stream:
            return stream.readline(1000).decode("utf-8-sig", "replace")
    except OSError:
        return ""


def header_in(text: str) -> str | None:
    """The same of a text."""
    found = _HEADER.match(text.strip())
    return found[1] if found else None
