"""Is a kata of functions whole: its contract, its mistakes, their pages, and its corpora?"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..checker import MISTAKE_IDS
from ..kata.packs import OWN
from ..kata.reading import BadContract, read_asked
from ..kata.sizes import Sizes
from ..kata.slips import FILE, BadSlips, Edit, Slip, slips, variants
from .layout import LANGUAGES, PACKAGE, Kata, problem, read_toml, row_of

__all__ = ["ENOUGH", "function_problems"]

# Files of each side that a kata's corpora have at least.
ENOUGH = 8


def function_problems(kata: Kata) -> Iterator[str]:
    """Yield what a kata of functions lacks."""
    try:
        asked = read_asked(kata.data)
    except BadContract as fault:
        # The innermost of what it names is where it is wrong.
        named = ["", *re.findall(r"(?:function|argument) (\w+)", str(fault))]
        where = row_of(kata, "kata.toml", named[-1])
        yield problem(where, str(fault), "see docs/new-kata.md")
        return
    yield from _sizes(kata.file("kata.toml"), asked.sizes)
    yield from _mistakes(kata)
    yield from _corpora(kata)


def _sizes(file: str, sizes: Sizes) -> Iterator[str]:
    first = sizes.first()
    same = sorted(name for name, n in first.items() if list(first.values()).count(n) > 1)
    if same:
        wrong = f"gives {', '.join(same)} one size in the first case"
        yield problem(file, wrong, "make the first of each list differ, so that sizes name axes")
    if 1 in first.values():
        yield problem(file, "has a size of 1 in the first case", "put 1 further back")
    for name, values in sizes.values.items():
        if len(values) < 2:
            yield problem(file, f"tries one size of {name} alone", "give two at least")
    if not any(1 in values for values in sizes.values.values()):
        yield problem(file, "tries no size of 1", "put 1 into a list of sizes")


def _mistakes(kata: Kata) -> Iterator[str]:
    file = kata.file(FILE)
    if not (kata.folder / FILE).is_file():
        return
    try:
        rows = slips(kata.folder)
        right = variants(kata.folder)
    except BadSlips as fault:
        named = re.findall(r"`([a-z0-9-]+)`", str(fault))
        yield problem(row_of(kata, FILE, next(iter(named), "")), str(fault), "see docs/new-kata.md")
        return
    source = kata.reference.read_text("utf-8") if kata.reference.is_file() else ""
    for name, edit in (
        *((s.id, e) for s in rows for e in s.edits),
        *(("variants", e) for e in right),
    ):
        yield from _unfit(kata, name, edit, source)
    if not rows:
        yield problem(file, "has no [[mistake]]", "name what goes wrong in this kata")
    if len({row.id for row in rows}) < len(rows):
        yield problem(file, "has an id twice", "put the edits of one mistake together")
    yield from _pages(kata, rows)


def _unfit(kata: Kata, name: str, edit: Edit, source: str) -> Iterator[str]:
    for before, _ in edit:
        count = source.count(before)
        if count != 1:
            wrong = f"`{name}` edits `{before}`, which the model answer has {count} times"
            yield problem(row_of(kata, FILE, name), wrong, "name what stands there once")


def _pages(kata: Kata, rows: tuple[Slip, ...]) -> Iterator[str]:
    """Yield the mistakes without a page, and the pages that are nobody's."""
    every = kata.folder.parent
    wanted = {row.id for row in rows} - set(MISTAKE_IDS)
    for name in sorted(wanted):
        for language in LANGUAGES:
            page = f"{name}.{language}.md"
            homes = [path for room in (every, OWN) for path in room.glob(f"*/pages/{page}")]
            if not homes:
                yield problem(
                    kata.file(f"pages/{page}"), "is missing", "write it, as the others are"
                )
    for path in sorted((kata.folder / "pages").glob("*")):
        name, _, end = path.name.partition(".")
        where = kata.file(f"pages/{path.name}")
        if name not in wanted or end not in {f"{language}.md" for language in LANGUAGES}:
            yield problem(where, "is no page of this kata's mistakes", "remove it")
            continue
        text = path.read_text("utf-8")
        title, _, body = text.partition("\n")
        if title != f"# {name}" or not body.strip():
            yield problem(where, "has no title or no text", "begin with `# ID`")
        if "{numbers}" in text and name not in _stored(kata):
            yield problem(where, "has no figure `{numbers}`", "run `make figures`")


def _stored(kata: Kata) -> set[str]:
    path = kata.folder / "figures.toml"
    return set(read_toml(path)) if path.is_file() else set()


def _corpora(kata: Kata) -> Iterator[str]:
    """Yield that there are too few files to judge, where the project's tests are there."""
    corpus = PACKAGE / "tests" / "corpus"
    if kata.folder.parent.resolve() != (PACKAGE / "kata").resolve() or not corpus.is_dir():
        return
    for side in ("right", "wrong"):
        texts = (path.read_text("utf-8") for path in (corpus / side).glob("*.py"))
        heads = (text.partition("\n")[0] for text in texts)
        count = sum(head.split()[1:3] == [f"{side}:", kata.id] for head in heads)
        if count < ENOUGH:
            wrong = f"holds {count} files of {kata.id}"
            cure = f"write {ENOUGH} at least, each with the first line `# {side}: {kata.id} …`"
            yield problem(f"tests/corpus/{side}", wrong, cure)
