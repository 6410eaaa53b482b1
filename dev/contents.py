"""Is every kata whole: files, texts, hints and questions, in both languages?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ..kata.catalogue import GROUPS
from ..kata.code import bare
from ..kata.slips import FILE
from ..practice.interview.reading.phrasings import FILE as PHRASINGS
from ..practice.interview.reading.phrasings import read as phrasings_in
from .asked import function_problems
from .layout import (
    LANGUAGES,
    Folder,
    Kata,
    files_of_a_kata,
    known_katas,
    problem,
    read_toml,
    row_of,
)

__all__ = ["content_problems"]

HINTS = 3
QUESTIONS = 5

# What is the room's own, beside its katas.
_ROOM = {
    "__init__.py",
    "arithmetic.py",
    "catalogue.py",
    "code.py",
    "functions.py",
    "lessons.py",
    FILE,
    "modules.py",
    "nearest.py",
    "numbers.py",
    "numbers.toml",
    "packs.py",
    "pages.py",
    "reading.py",
    "sizes.py",
    "slips.py",
}
_LEVELS = ("junior", "senior")
_EXACT = ("choose", "order", "number")
# What stands beside the model answers without being one.
_BESIDE_ANSWERS = ("__init__.py", "decoding.py")
_KEYS = (
    "order", "tier", "minutes", "prerequisites", "title", "summary", "group", "reference", "axes",
    "sizes",
)  # fmt: skip
# Where what is asked for stands, by the kind of kata.
_ASKED = {"function": "function", "module": "class", "program": "class"}
_CONTRACT: dict[str, type | set[str]] = {
    "constructor": list,
    "forward": list,
    "heads": {"one", "many"},
    "source": {"self", "cross"},
    "causal": bool,
    "masks": list,
    "output": {"extra", "optional", "required"},
    "dropout": {"none", "optional", "remark", "required"},
    "fused": bool,
    "forbidden": list,
}


def content_problems(folder: Folder) -> Iterator[str]:
    """Yield what is missing, empty, doubled or astray."""
    katas = folder.katas()
    known = known_katas(folder)
    for kata in katas:
        yield from _files(kata)
        yield from _catalogue(kata, known)
        yield from _briefs(kata)
        yield from _stubs(kata)
        yield from _hints(kata)
    yield from _questions(katas)
    yield from _phrasings(katas)
    yield from _orders(katas)
    yield from _strays(folder, katas)


def _files(kata: Kata) -> Iterator[str]:
    wanted, more = files_of_a_kata()
    found = {path.name for path in kata.folder.iterdir()} - {"__pycache__"}
    for name in sorted(wanted - found):
        yield problem(kata.file(name), "is missing", "write it, as the other katas have it")
    for name in sorted(found - wanted - more):
        yield problem(kata.file(name), "belongs to no part of a kata", "remove it or move it")


def _catalogue(kata: Kata, known: set[str]) -> Iterator[str]:
    file = kata.file("kata.toml")
    if not (kata.folder / "kata.toml").is_file():
        return
    if not kata.data:
        yield from unreadable(kata, "kata.toml")
        return
    if kata.kind not in _ASKED:
        yield problem(file, f"kind is {kata.kind!r}", f"it must be {', '.join(_ASKED)}")
        return
    for key in (*_KEYS, _ASKED[kata.kind]):
        if key not in kata.data:
            yield problem(file, f"has no `{key}`", "add it, as the other katas have it")
    if kata.data.get("group", GROUPS[0]) not in GROUPS:
        cure = f"it must be {' or '.join(GROUPS)}"
        yield problem(file, f"group is {kata.data['group']!r}", cure)
    for key in ("title", "summary", *({"no_weights"} & kata.data.keys())):
        yield from _both(file, key, kata.data.get(key, {}))
    for needed in kata.data.get("prerequisites", []):
        if needed not in known:
            yield problem(file, f"asks for `{needed}` first, which is no kata", "name one that is")
    yield from function_problems(kata)
    if "contract" not in kata.data:
        return
    for key, allowed in _CONTRACT.items():
        value = kata.contract.get(key)
        fits = value in allowed if isinstance(allowed, set) else isinstance(value, allowed)
        if not fits:
            words = " or ".join(sorted(allowed)) if isinstance(allowed, set) else allowed.__name__
            yield problem(file, f"contract.{key} is {value!r}", f"it must be {words}")


def _both(file: str, what: str, texts: dict[str, Any]) -> Iterator[str]:
    """Yield a problem for each language in which `what` is missing or empty."""
    for language in LANGUAGES:
        text = texts.get(language)
        if not isinstance(text, str):
            yield problem(file, f"{what} has no `{language}`", f"write it in {language} too")
        elif not text.strip():
            yield problem(file, f"{what} is empty in `{language}`", "write it")


def _briefs(kata: Kata) -> Iterator[str]:
    for language in LANGUAGES:
        path = kata.folder / f"brief.{language}.md"
        if path.is_file() and not path.read_text("utf-8").strip():
            yield problem(kata.file(path.name), "is empty", "say what the kata asks")


def _stubs(kata: Kata) -> Iterator[str]:
    """Yield where a stub in another language is not the same code, or not another text."""
    if not kata.stub.is_file():
        return
    for language in LANGUAGES[1:]:
        path = kata.folder / f"stub.{language}.py"
        if not path.is_file():
            continue
        one, other = kata.stub.read_text("utf-8"), path.read_text("utf-8")
        try:
            same = bare(one) == bare(other)
        except SyntaxError as fault:
            yield problem(kata.file(path.name), f"does not parse ({fault.msg})", "mend it")
            continue
        if not same:
            yield problem(kata.file(path.name), "is other code than stub.py", "make them the same")
        if one == other:
            yield problem(kata.file(path.name), "says what stub.py says", f"write it in {language}")


def _rows(kata: Kata, name: str, key: str) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the rows of one of a kata's TOML files, and what kept them from being read."""
    path = kata.folder / name
    if not path.is_file():
        return [], []
    faults = list(unreadable(kata, name))
    return ([] if faults else read_toml(path).get(key, [])), faults


def unreadable(kata: Kata, name: str) -> Iterator[str]:
    """Yield that one of a kata's files is no TOML, with its line, if it is none."""
    try:
        read_toml(kata.folder / name)
    except ValueError as fault:
        found = re.search(r"at line (\d+)", str(fault))
        last = len((kata.folder / name).read_bytes().splitlines())
        where = f"{kata.file(name)}:{found[1] if found else last}"
        yield problem(where, f"cannot be read as TOML ({fault})", "mend it")


def _hints(kata: Kata) -> Iterator[str]:
    file = kata.file("hints.toml")
    rows, faults = _rows(kata, "hints.toml", "hint")
    yield from faults
    if not faults and (kata.folder / "hints.toml").is_file() and len(rows) != HINTS:
        cure = "give three: a nudge, the idea, nearly the answer"
        yield problem(file, f"has {len(rows)} hints", cure)
    for number, row in enumerate(rows, 1):
        yield from _both(file, f"hint {number}", row)


def _questions(katas: list[Kata]) -> Iterator[str]:
    homes: dict[str, str] = {}
    for kata in katas:
        file = kata.file("questions.toml")
        rows, faults = _rows(kata, "questions.toml", "question")
        yield from faults
        present = (kata.folder / "questions.toml").is_file() and not faults
        if present and len(rows) < QUESTIONS:
            yield problem(file, f"has {len(rows)} questions", f"give at least {QUESTIONS}")
        for number, row in enumerate(rows, 1):
            name = str(row.get("id", "")) or f"question {number}"
            yield from _question(row_of(kata, "questions.toml", name), name, row)
            if name in homes:
                yield problem(file, f"`{name}` is in {homes[name]} already", "give it its own id")
            homes[name] = file
        exact = read_toml(kata.folder / "questions.toml").get("exact", []) if present else []
        for number, row in enumerate(exact, 1):
            name = str(row.get("id", "")) or f"exact question {number}"
            there = row_of(kata, "questions.toml", name)
            yield from _exact(there, name, row)
            for told in {*row.get("tells", ())} - {one.get("id") for one in (*rows, *exact)}:
                wrong = f"`{name}` tells `{told}`, which is no question of this kata"
                yield problem(there, wrong, "mend its name, or take it out")


def _phrasings(katas: list[Kata]) -> Iterator[str]:
    """Yield where a kata's phrasings are not those of its questions' points."""
    for kata in katas:
        file = kata.file(PHRASINGS)
        rows, _ = _rows(kata, "questions.toml", "question")
        told = phrasings_in(kata.folder / PHRASINGS) if rows else {}
        points = {
            str(row.get("id")): max(len(row.get(one, {}).get("points", ())) for one in LANGUAGES)
            for row in rows
        }
        for name in sorted(told.keys() - points.keys()):
            yield problem(file, f"`{name}` is no question", "take it out, or mend its name")
        for name, count in points.items() if told else ():
            some = told.get(name, ())
            if len(some) != count:
                wrong = f"`{name}` has phrasings of {len(some)} points, and makes {count}"
                yield problem(file, wrong, "write a row for each point, in the question's order")
            if any(not one.right or not one.wrong or {*one.right} & {*one.wrong} for one in some):
                wrong = (
                    f"a point of `{name}` is said in no way, backwards in none, or in one as both"
                )
                yield problem(file, wrong, "write both, each a line of its own")


def _exact(file: str, name: str, row: dict[str, Any]) -> Iterator[str]:
    """Yield what a question with one right answer lacks."""
    if row.get("kind") not in _EXACT:
        cure = f"use {', '.join(_EXACT)}"
        yield problem(file, f"`{name}` has kind {row.get('kind')!r}", cure)
    if row.get("kind") == "number" and not isinstance(row.get("answer"), int | float):
        yield problem(file, f"`{name}` has no number as its answer", "add `answer`")
    for language in LANGUAGES:
        words = row.get(language, {})
        for key in ("ask", "answer"):
            if not str(words.get(key, "")).strip():
                yield problem(file, f"`{name}` has an empty {language}.{key}", "write it")
        options = words.get("options", [])
        if row.get("kind") != "number" and len(set(options)) < 2:
            yield problem(file, f"`{name}` offers too few {language}.options", "give two or more")


def _question(file: str, name: str, row: dict[str, Any]) -> Iterator[str]:
    for key in ("id", "level", "source"):
        if not str(row.get(key, "")).strip():
            yield problem(file, f"`{name}` has no {key}", "add it")
    if row.get("level", _LEVELS[0]) not in _LEVELS:
        yield problem(file, f"`{name}` has level {row['level']!r}", f"use {' or '.join(_LEVELS)}")
    for language in LANGUAGES:
        if language not in row:
            yield problem(file, f"`{name}` has no `{language}`", f"write it in {language} too")
            continue
        for key in ("ask", "answer", "trap"):
            if not str(row[language].get(key, "")).strip():
                yield problem(file, f"`{name}` has an empty {language}.{key}", "write it")
        points = row[language].get("points", [])
        if not points or not all(str(point).strip() for point in points):
            yield problem(file, f"`{name}` has an empty {language}.points", "list what counts")
    counts = {len(row[language].get("points", [])) for language in LANGUAGES if language in row}
    if len(counts) > 1:
        yield problem(file, f"`{name}` has more points in one language", "make them the same")


def _orders(katas: list[Kata]) -> Iterator[str]:
    homes: dict[int, str] = {}
    for kata in katas:
        order = kata.data.get("order")
        if isinstance(order, int):
            if order in homes:
                yield problem(
                    kata.file("kata.toml"), f"has {homes[order]}'s order {order}", "give it its own"
                )
            homes[order] = kata.id


def _strays(folder: Folder, katas: list[Kata]) -> Iterator[str]:
    own = _ROOM if folder.own else {"__init__.py", FILE}
    for path in sorted(folder.path.iterdir()):
        if path.is_file() and path.name not in own:
            yield problem(f"{folder.path.name}/{path.name}", "is no kata", "remove it or move it")
    if not folder.references.is_dir():
        return
    answers = {*_BESIDE_ANSWERS, *(kata.reference.name for kata in katas)}
    for path in sorted(folder.references.iterdir()):
        if path.name not in answers and path.name != "__pycache__":
            yield problem(f"reference/{path.name}", "is no kata's model answer", "name it in one")
