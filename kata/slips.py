"""The mistakes of one kata of functions or of a class with weights. Standard library only.

`mistakes.toml` beside the katas says once what several of them can get wrong; a kata's own has
its mistakes in the order in which they are tried.

    [parts]                       text that a template's {name} stands for, in this kata
    depth = "head_dim"

    [[mistake]]
    shared = ["scale-missing"]    as the file beside the katas has them

    [[mistake]]
    id = "softmax-wrong-axis"     a page of this name tells about it
    group = "softmax"             where its line is looked for, one of GROUPS
    shows = "weights"             the model answer's step in which it shows first; of several, in
                                  a list, the first that the mistake changes
    en = "…"                      what it is, in a sentence
    zh = "…"
    edits = [[["dim=-1", "dim=-2"]]]

    variants = [[["lowest = …", "lowest = float('-inf')"]]]

A part may be a list: an edit that names it is made with each of its values.
A row with `of` takes all that another kata has, filled in with the parts of this one; `but` lists
what it does not take.
What a row whose id is shared does not say is as it is there. Each edit is a list of pairs, what
stands in the model answer once and what stands there instead; of several edits, each is a way of
its own to make the mistake. In an edit, {number} stands for any number that a submission has
written, so that a fill or a width is named whatever it is; `number` is one of them, for the tests
and the figures (-10.0 where nothing is said). A variant, at the top of the file, is an edit that
leaves the model answer right: mistakes may give other numbers beside it.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from keyword import iskeyword
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:  # pragma: no cover - the same parser under its older name
    import tomli as tomllib

from .packs import OWN

__all__ = [
    "FILE", "GROUPS", "BadSlips", "Edit", "Slip", "all_ids", "changed_line", "edited", "fits",
    "renamed", "slips", "variants", "with_number",
]  # fmt: skip

FILE = "mistakes.toml"
GROUPS = (
    "step", "softmax", "scale", "fill", "mask", "overflow", "loop", "return", "start", "written",
    "joined", "kept", "call", "thrown", "read", "number", "variance", "window", "moved", "index",
    "taken", "swapped", "lined-up", "skipped", "drawn", "turned", "folded", "compared", "sorted",
    "laid", "offset", "remainder", "noted", "carried", "flipped", "cast", "piece", "ordered",
    "given", "begun", "outside", "handed",
)  # fmt: skip
_KEYS = {
    "id", "group", "shows", "en", "zh", "edits", "rank", "calls", "without", "number", "says",
    "unless",
}  # fmt: skip

# A template's place for a part.
_PART = re.compile(r"\{([a-z_]+)\}")
# What a line of code consists of, an attribute with its point.
_TOKENS = re.compile(r"\.?\w+|\S")
# And for a number of the submission's.
_NUMBER, _A_NUMBER = "{number}", "-10.0"

Edit = tuple[tuple[str, str], ...]


class BadSlips(ValueError):
    """A file of mistakes that cannot be read. The message says which row, and what is wrong."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Slip:
    """One mistake of one kata.

    rank: smaller is tried first where two give the same numbers. calls: torch calls of which
    every call with a mask shows one, to tell such two apart, and without: those of which none
    may show. number: one that an edit may take. says: the statements that may hold it, the
    likeliest first, where no number shows its line, and unless: those of which none may be there.
    """

    id: str
    words: dict[str, str]
    edits: tuple[Edit, ...]
    group: str = "step"
    shows: tuple[str, ...] = ()
    rank: int = 1
    calls: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    says: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()
    number: str = _A_NUMBER


@cache
def slips(folder: Path) -> tuple[Slip, ...]:
    """Return the mistakes of the kata in a folder, the likeliest first. Raise BadSlips."""
    return tuple(sorted(map(_slip, _rows(folder)), key=lambda slip: slip.rank))


@cache
def variants(folder: Path) -> tuple[Edit, ...]:
    """Return the edits that leave the model answer right. Raise BadSlips."""
    return _edits("variants", _read(folder).get("variants", []))


@cache
def all_ids(katas: Path) -> frozenset[str]:
    """Return the ids of every kata's own mistakes. katas: the folder that holds the katas."""
    return frozenset(slip.id for path in katas.glob(f"*/{FILE}") for slip in slips(path.parent))


def fits(edit: Edit, source: str) -> bool:
    """Whether an edit applies to a model answer's source."""
    return all(source.count(before) == 1 for before, _ in edit)


def edited(edit: Edit, source: str) -> str:
    """Return the source with the edit made."""
    for before, after in edit:
        source = source.replace(before, after)
    return source


def changed_line(edit: Edit, source: str) -> tuple[str | None, str | None]:
    """Return the first line of the source that the edit changes, as it is and as it becomes."""
    for before, after in edit:
        for line in source.splitlines() if before != after else ():
            if before in line:
                # Where one line becomes several, the first of them that is another one.
                made = line.replace(before, after).splitlines()
                right, wrong = line, next((one for one in made if one != line), "")
                return right.split("  #")[0].strip(), wrong.split("  #")[0].strip()
    return None, None


def renamed(edit: Edit) -> bool:
    """Whether an edit does nothing but put other names in some names' places, none of its own."""
    for pair in edit:
        before, after = map(_TOKENS.findall, pair)
        others = [{*two} for two in zip(before, after, strict=False) if two[0] != two[1]]
        names = (one.isidentifier() and not iskeyword(one) for two in others for one in two)
        if len(before) != len(after) or {*before} == {*after} or not all(names):
            return False
    return True


def with_number(edit: Edit, numbers: Sequence[str]) -> Iterator[Edit]:
    """Yield an edit with each number in its `{number}`'s place; as it is, where it has none."""
    if not any(_NUMBER in after for _, after in edit):
        yield edit
        return
    for number in numbers:
        yield tuple((before, after.replace(_NUMBER, number)) for before, after in edit)


def _rows(folder: Path) -> Iterator[dict[str, Any]]:
    """Yield a kata's rows, each whole: what it shares and its parts are filled in."""
    own = _read(folder)
    # What the package says once serves a pack's katas too; the pack may have more.
    common = [_read(room) for room in dict.fromkeys((OWN, folder.parent))]
    parts = {name: part for one in (*common, own) for name, part in one.get("parts", {}).items()}
    shared = {row["id"]: row for one in common for row in one.get("mistake", [])}
    for row in own.get("mistake", []):
        rows = _of(folder, row) if "of" in row else [row]
        taken = [one for many in rows for one in _taken(many, shared)]
        left = row.get("but", []) if "of" in row else []
        if unknown := [name for name in left if name not in {one.get("id") for one in taken}]:
            raise BadSlips(f"`{unknown[0]}` is not among the mistakes of {row['of']}")
        for each in (one for one in taken if one.get("id") not in left):
            whole = {**shared.get(each.get("id", ""), {}), **each}
            edits = whole.get("edits", [])
            if isinstance(edits, list):
                whole["edits"] = [*_each(edits, parts)]
            yield _filled(whole, parts)


def _of(folder: Path, row: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return another kata's rows, for the parts of this one to be filled in."""
    homes = (room / str(row["of"]) for room in (folder.parent, OWN))
    home = next((one for one in homes if (one / FILE).is_file()), None)
    if row.keys() - {"of", "but"} or home is None:
        raise BadSlips("`of` is the id of a kata that has mistakes, in a row of its own")
    rows: list[dict[str, Any]] = _read(home).get("mistake", [])
    return rows


def _taken(row: dict[str, Any], shared: Mapping[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the shared rows that a kata's row takes as they are; the row, if it takes none."""
    if "shared" not in row:
        return [row]
    names = row["shared"]
    if len(row) > 1 or not isinstance(names, list):
        raise BadSlips("`shared` is a list of ids, in a row of its own")
    unknown = [name for name in names if name not in shared]
    if unknown:
        raise BadSlips(f"`{unknown[0]}` is not among the shared; write a row with an id for it")
    return [shared[name] for name in names]


def _each(edits: Any, parts: Mapping[str, Any]) -> Iterator[Any]:
    """Yield edits with their parts in; one that names a part with several values, with each."""
    for edit in edits:
        filled = _filled(edit, parts)
        found = {name for name in _PART.findall(str(filled)) if isinstance(parts.get(name), list)}
        several = min(found, default="")
        for value in parts[several] if several else ():
            yield from _each([filled], {**parts, several: value})
        if not several:
            yield filled


def _filled(value: Any, parts: Mapping[str, Any]) -> Any:
    """Put parts where a template has their names; a part may be made of others."""
    if isinstance(value, dict):
        return {key: _filled(one, parts) for key, one in value.items()}
    if isinstance(value, list):
        return [_filled(one, parts) for one in value]
    if not isinstance(value, str):
        return value
    # Other braces are the code's.
    filled = _PART.sub(lambda found: _text(parts.get(found[1]), found[0]), value)
    return filled if filled == value else _filled(filled, parts)


def _text(part: Any, name: str) -> str:
    """What stands in a part's place; its name where it has no value, or several."""
    return part if isinstance(part, str) else name


@cache
def _read(folder: Path) -> dict[str, Any]:
    path = folder / FILE
    if not path.is_file():
        return {}
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except ValueError as fault:
        raise BadSlips(str(fault)) from None


def _edits(name: str, edits: Any) -> tuple[Edit, ...]:
    shaped = isinstance(edits, list) and all(
        isinstance(edit, list)
        and edit
        and all(isinstance(pair, list) and len(pair) == 2 for pair in edit)
        for edit in edits
    )
    if not shaped:
        raise BadSlips(f'`{name}` is to be [[["before", "after"], …], …]')
    return tuple(tuple((pair[0], pair[1]) for pair in edit) for edit in edits)


def _slip(row: dict[str, Any]) -> Slip:
    name = row.get("id")
    if not isinstance(name, str) or not name:
        raise BadSlips("a mistake has no id")
    unknown = sorted(set(row) - _KEYS)
    if unknown:
        raise BadSlips(
            f"`{name}` has no key {', '.join(unknown)}; known: {', '.join(sorted(_KEYS))}"
        )
    for language in ("en", "zh"):
        if not str(row.get(language, "")).strip():
            raise BadSlips(f"`{name}` has no sentence in `{language}`")
    if row.get("group", "step") not in GROUPS:
        raise BadSlips(f"`{name}` has group {row['group']!r}; it must be of {', '.join(GROUPS)}")
    shows = row.get("shows", "")
    edits = _edits(name, row.get("edits", []))
    if not edits:
        raise BadSlips(f"`{name}` has no edits")
    return Slip(
        id=name,
        words={language: row[language].strip() for language in ("en", "zh")},
        edits=edits,
        group=row.get("group", "step"),
        shows=tuple(shows) if isinstance(shows, list) else (shows,),
        rank=row.get("rank", 1),
        calls=tuple(row.get("calls", ())),
        without=tuple(row.get("without", ())),
        says=tuple(row.get("says", ())),
        unless=tuple(row.get("unless", ())),
        number=row.get("number", _A_NUMBER),
    )
