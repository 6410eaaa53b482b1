"""What is rewritten: model answers, right and with a mistake planted, and the corpora."""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from ...kata.catalogue import Kata
from ...kata.slips import edited, fits, slips, variants, with_number

__all__ = ["Original", "right", "wrong"]

_CORPUS = Path(__file__).parent.parent.parent / "tests" / "corpus"
_NUMBER = "-10.0"
# Says of a file that its mistake has no name of its own.
_NAMELESS = "# note: the table has no exact id"
# Where every projection sees the same x these make the same numbers.
_TWINS = ({"values-from-keys", "weights-on-keys"}, {"mask-fill-zero", "mask-multiplied"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Original:
    """A file before it is rewritten.

    name: where it comes from. mistakes: the ids of which one must be named first, each with the
    lines of which it must be named at one; no lines where none is plainly at fault; empty
    where the file is right.
    """

    name: str
    kata: str
    source: str
    mistakes: dict[str, frozenset[int]]

    @property
    def lines(self) -> tuple[int, ...]:
        """All lines that are followed."""
        return tuple(sorted({line for lines in self.mistakes.values() for line in lines}))


def right(kata: Kata) -> Iterator[Original]:
    """Yield a kata's right files: its model answer, that in its variants, and the corpora."""
    answer = kata.solution()
    yield Original(name="model answer", kata=kata.id, source=answer, mistakes={})
    for number, edit in enumerate(variants(kata.folder)):
        source = edited(edit, answer)
        yield Original(name=f"variant {number}", kata=kata.id, source=source, mistakes={})
    for path, _ in _filed("right", kata):
        yield Original(name=path.name, kata=kata.id, source=_bare(path), mistakes={})
    for path in _unseen("right", kata):
        source = path.read_text("utf-8")
        yield Original(name=path.name, kata=kata.id, source=source, mistakes={})


def wrong(kata: Kata) -> Iterator[Original]:
    """Yield a kata's wrong files: every mistake in its model answer, and the corpus."""
    answer = kata.solution()
    module = kata.asked.functions[0].module
    # In what order one layer makes queries and keys is one's own affair.
    one_layer = module is not None and bool(module.stacks)
    for row in slips(kata.folder):
        for number, edit in enumerate(row.edits):
            if not edit or not fits(edit, answer) or (row.id == "query-key-swapped" and one_layer):
                continue
            written = next(with_number(edit, [row.number]))
            source = edited(written, answer)
            lines = _fair(_changed(answer, source), source)
            ids = {row.id, *(name for some in _TWINS if row.id in some for name in some)}
            mistakes = dict.fromkeys(sorted(ids), lines)
            yield Original(
                name=f"{row.id} {number}", kata=kata.id, source=source, mistakes=mistakes
            )
    for path, said in _filed("wrong", kata):
        mistakes = _declared(path, said)
        if "error" in mistakes or _NAMELESS in path.read_text("utf-8"):
            continue
        if len(mistakes) == 1:
            yield Original(name=path.name, kata=kata.id, source=_bare(path), mistakes=mistakes)


def _filed(side: str, kata: Kata) -> Iterator[tuple[Path, str]]:
    """Yield a kata's files of one corpus, with what the first line says behind the kata."""
    folder = _CORPUS / side
    for path in sorted(folder.glob("*.py")) if folder.is_dir() else ():
        first = path.read_text("utf-8").split("\n", 1)[0]
        found = re.match(rf"#\s*{side}:\s*([\w-]+)(.*)", first)
        if found and found[1] == kata.id and _is_python(path):
            yield path, found[2]


def _unseen(side: str, kata: Kata) -> Iterator[Path]:
    """Yield what strangers wrote for a kata, of which an index says whether it is right."""
    folder = _CORPUS / "unseen"
    rows = (folder / "INDEX.tsv").read_text("utf-8").splitlines() if folder.is_dir() else []
    for file, said, *_ in (row.split("\t") for row in rows):
        path = folder / file
        if said == side and file.rpartition("_")[0] == kata.id and _is_python(path):
            yield path


def _is_python(path: Path) -> bool:
    try:
        ast.parse(path.read_text("utf-8"))
    except (SyntaxError, ValueError):
        return False
    return True


def _bare(path: Path) -> str:
    """Return a file without the words of its headers; their lines stay, empty."""
    rows = path.read_text("utf-8").split("\n")
    return "\n".join("" if re.match(r"# (?:right|wrong|fair): ?", row) else row for row in rows)


def _declared(path: Path, said: str) -> dict[str, frozenset[int]]:
    """Return the mistakes that a file's headers declare, with the lines that are fair."""
    second = path.read_text("utf-8").split("\n", 2)[1]
    found: dict[str, frozenset[int]] = {}
    for name, line in re.findall(r"([a-z][a-z-]+)(?: line (\d+))?", said):
        fair = re.search(rf"{name}:?((?:[ ,]+\d+)+)", second) if "fair:" in second else None
        others = re.findall(r"\d+", fair[1]) if fair else []
        found[name] = frozenset(int(number) for number in (line, *others) if number)
    return found


def _changed(before: str, after: str) -> frozenset[int]:
    """Return the lines that are new in a source; the bare `import torch` is none."""
    rows = after.split("\n")
    matcher = difflib.SequenceMatcher(None, before.split("\n"), rows, autojunk=False)
    lines = {
        number + 1
        for kind, _, _, start, end in matcher.get_opcodes()
        for number in range(start, end)
        if kind in {"replace", "insert"} and rows[number].strip() != "import torch"
    }
    return frozenset(lines)


def _fair(lines: frozenset[int], source: str) -> frozenset[int]:
    """Return the lines with those that are as fair to point at; none where a step is gone.

    Where what is wrong is a step left out (`scores = products`), nothing is computed on its line:
    then it is as fair to name where its value is made, and where it is used.
    """
    rows = source.split("\n")
    if any(rows[line - 1].strip() == "pass" for line in lines):
        return frozenset()
    fair = set(lines)
    for line in lines:
        left_out = re.fullmatch(r"\s*(\w+) = (\w+)(?:  #.*)?", rows[line - 1])
        if left_out is None:
            continue
        made, used = (re.compile(pattern) for pattern in (
            rf"\s*(?:\w+, )*{left_out[2]}(?:, \w+)* = ", rf".*\b{left_out[1]}\b"
        ))  # fmt: skip
        fair |= {number for number in range(line - 1, 0, -1) if made.match(rows[number - 1])}
        later = (n for n in range(line + 1, len(rows) + 1) if used.match(rows[n - 1]))
        fair |= set(islice(later, 1))
    return frozenset(fair)
