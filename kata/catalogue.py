"""The catalogue of katas, read from each folder's `kata.toml`.

A kata is data: its contract says what the judge tries, so that a new kata needs
a folder here and a model answer in `reference/`, and no change to the checker.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

if sys.version_info >= (3, 11):
    import tomllib
else:  # pragma: no cover - the same parser under its older name
    import tomli as tomllib

from .packs import kata_folders

if TYPE_CHECKING:
    from .functions import Asked

__all__ = [
    "GROUPS",
    "LANGUAGES",
    "Contract",
    "ExactQuestion",
    "Kata",
    "Question",
    "UnknownKata",
    "find",
    "katas",
    "known",
]

LANGUAGES = ("en", "zh")
# What `list` puts together: the ladder, the drills of one operator, what LLMs are built of.
GROUPS = ("ladder", "drill", "llm", "triton")

# The sections of a brief that give away what an answer is judged by.
_KEPT_BACK = {
    "## What a good answer mentions unasked", "## What an interviewer looks at",
    "## 没人问也值得主动说的", "## 面试官在看什么",
}  # fmt: skip

# The section of a brief with what to type next in a shell.
_ONWARD = {"## Next", "## 接下来"}


class UnknownKata(LookupError):
    """No kata has this name. `nearest` holds the names that look most like it."""

    def __init__(self, name: str, nearest: tuple[str, ...]) -> None:
        super().__init__(name)
        self.name = name
        self.nearest = nearest


@dataclass(frozen=True, slots=True, kw_only=True)
class Contract:
    """What a submission must do, in the words of the catalogue's table.

    constructor: argument names, those with a default written `name=default`.
    forward: argument names in the same manner.
    heads: "one" or "many".
    source: "self" (queries, keys and values from x) or "cross".
    causal: the look-ahead mask is built in.
    masks: the mask forms that must be taken, axes named B, H, Q (queries), K (keys), 1.
    output: "extra" (not asked, a remark), "optional" or "required".
    dropout: "none" (not asked), "optional", "remark" (optional, a remark where
        it is absent) or "required"; always on the weights.
    fused: one projection must make queries, keys and values.
    """

    constructor: tuple[str, ...]
    forward: tuple[str, ...]
    heads: str
    source: str
    causal: bool
    masks: tuple[str, ...]
    output: str
    dropout: str
    fused: bool
    forbidden: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One interview question with its model answer, in one language.

    before: it is asked before any code is written, and never afterwards. after: it speaks of
    the candidate's own code. needs: what that code must have (contiguous, fused, view, cat, …,
    several heads, block_size). like: another question that asks the same.
    """

    id: str
    level: str
    source: str
    ask: str
    answer: str
    points: tuple[str, ...]
    trap: str
    before: bool = False
    after: bool = False
    needs: tuple[str, ...] = ()
    like: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExactQuestion:
    """A question with one right answer, in one language.

    kind is choose (options, the right one first), order (options as they should stand) or
    number (value). answer says why. numeric: it is about numerics or cost. tells: the bank's
    questions of which the answer gives a good part away.
    """

    id: str
    level: str
    kind: str
    ask: str
    answer: str
    options: tuple[str, ...] = ()
    value: float = 0.0
    numeric: bool = False
    tells: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Kata:
    """One exercise. Texts come by language code, `en` or `zh`.

    folder holds its texts, beside those of the other katas of its pack. kind is "function",
    "module" (a class judged by its weights and calls) or "program" (such a
    class and the functions that train and use it). promised is a contract in the words of
    the ladder, where a class has one: what is told of it, and left open. no_weights says why there
    are no attention weights, where the model answer makes none. data is all that its `kata.toml`
    says; what is asked is read from it once it is looked at, which not every command does. fused is
    a statement with torch's fused kernel that may stand in the model answer in place of the one
    that binds the same name; empty where none computes that.
    interview is a plan whose steps that draw a kata may draw this one. needs: the packages that it
    takes besides torch.
    """

    id: str
    folder: Path
    order: int
    tier: int
    minutes: int
    title: dict[str, str]
    summary: dict[str, str]
    prerequisites: tuple[str, ...]
    reference: str
    kind: str
    data: dict[str, Any]
    group: str = "ladder"
    promised: Contract | None = None
    no_weights: dict[str, str] | None = None
    fused: str = ""
    interview: str = ""
    needs: tuple[str, ...] = ()

    @property
    def kernels(self) -> bool:
        """Whether Triton's kernels are asked for: what runs there leaves no steps of torch's."""
        return "triton" in self.needs

    @property
    def lacking(self) -> str:
        """The first of the packages that it needs and that is not installed; "" for none."""
        return next((name for name in self.needs if find_spec(name) is None), "")

    @property
    def asked(self) -> Asked:
        """What is asked of functions and classes."""
        return _asked(self)

    @property
    def timed(self) -> tuple[str, ...]:
        """The functions that are timed after a pass."""
        return tuple(self.data.get("timed", {}).get("functions", self.names))

    @property
    def contract(self) -> Contract:
        """What a class of the ladder must do. Raise TypeError for another kata."""
        if self.promised is None:
            raise TypeError(f"{self.id} has no contract")
        return self.promised

    @property
    def names(self) -> tuple[str, ...]:
        """What a submission must define: a class, or functions."""
        return tuple(function.name for function in self.asked.functions)

    def stub(self, language: str = "en") -> str:
        """Return the file that `start` hands out, described in a language."""
        name = "stub.py" if language == LANGUAGES[0] else f"stub.{language}.py"
        return (self.folder / name).read_text("utf-8")

    def brief(self, language: str, *, whole: bool = True, shell: bool = True) -> str:
        """Return the brief, in Markdown; not whole, without what the interviewer keeps back.

        shell: with what to type next there.
        """
        text = (self.folder / f"brief.{language}.md").read_text("utf-8")
        out = (set[str]() if whole else _KEPT_BACK) | (set[str]() if shell else _ONWARD)
        parts = re.split(r"(?m)^(?=## )", text)
        return "".join(one for one in parts if one.partition("\n")[0] not in out)

    def hints(self, language: str) -> tuple[str, ...]:
        """Return the hints, from a nudge to nearly the answer."""
        rows = _toml(self.folder / "hints.toml")["hint"]
        # The first line may be code, which is indented.
        return tuple(row[language].strip("\n").rstrip() for row in rows)

    def questions(self, language: str) -> tuple[Question, ...]:
        """Return the interview questions with their model answers."""
        rows = _bank(self.folder / "questions.toml")["question"]
        return tuple(
            Question(
                id=row["id"],
                level=row["level"],
                source=row["source"],
                ask=row[language]["ask"].strip(),
                answer=row[language]["answer"].strip(),
                points=tuple(row[language]["points"]),
                trap=row[language]["trap"].strip(),
                before=row.get("before", False),
                after=row.get("after", False),
                needs=tuple(row.get("needs", ())),
                like=row.get("like", ""),
            )
            for row in rows
        )

    def exact_questions(self, language: str) -> tuple[ExactQuestion, ...]:
        """Return the questions that have one right answer."""
        rows = _bank(self.folder / "questions.toml").get("exact", [])
        return tuple(
            ExactQuestion(
                id=row["id"],
                level=row["level"],
                kind=row["kind"],
                ask=row[language]["ask"],
                answer=row[language]["answer"],
                options=tuple(row[language].get("options", ())),
                value=float(row.get("answer", 0)),
                numeric=row.get("numeric", False),
                tells=tuple(row.get("tells", ())),
            )
            for row in rows
        )

    def solution(self) -> str:
        """Return the source of the model answer that judges."""
        return _read_once(self.solution_path)

    @property
    def shown(self) -> str:
        """The source of the model answer that people are shown.

        What they write in another language than torch's has one of its own.
        """
        own = self.folder / "solution.py"
        return _read_once(own) if own.exists() else self.solution()

    @property
    def solution_path(self) -> Path:
        """The file of the model answer."""
        return self.folder.parent.parent / "reference" / f"{self.reference}.py"


@cache
def _read_once(path: Path) -> str:
    """Return a file's text; a search for mistakes edits a model answer some thousand times."""
    return path.read_text("utf-8")


def katas() -> tuple[Kata, ...]:
    """Return every kata in the order in which they are best done, and then those of packs."""
    return _katas(kata_folders())


@cache
def _katas(folders: tuple[Path, ...]) -> tuple[Kata, ...]:
    rooms = list(dict.fromkeys(folder.parent for folder in folders))
    found = map(_read, folders)
    return tuple(sorted(found, key=lambda kata: (rooms.index(kata.folder.parent), kata.order)))


def find(name: str) -> Kata:
    """Return the kata called `name`; raise UnknownKata with the nearest names."""
    found = known(name)
    if found is not None:
        return found
    from .nearest import nearest

    ways = {kata.id: (*kata.title.values(), *kata.names[:1]) for kata in katas()}
    raise UnknownKata(name, nearest(name.strip().lower(), ways))


def known(name: str) -> Kata | None:
    """Return the kata called `name`, or None."""
    by_id = {folder.name: folder for folder in kata_folders()}
    folder = by_id.get(name.strip().lower())
    return None if folder is None else _read(folder)


def _toml(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text("utf-8"))


@cache
def _bank(path: Path) -> dict[str, Any]:
    """Read a bank of questions, once: an interview looks through all of them at every answer."""
    return _toml(path)


@cache
def _read(folder: Path) -> Kata:
    """Read one kata, once: a command that is about one of them reads no other."""
    data = _toml(folder / "kata.toml")
    return Kata(
        id=folder.name,
        folder=folder,
        order=data["order"],
        tier=data["tier"],
        minutes=data["minutes"],
        title=data["title"],
        summary=data["summary"],
        prerequisites=tuple(data["prerequisites"]),
        reference=data["reference"]["module"],
        kind=data["kind"],
        data=data,
        group=data.get("group", GROUPS[0]),
        promised=_contract(data["contract"]) if "contract" in data else None,
        no_weights=data.get("no_weights"),
        fused=data.get("timed", {}).get("fused", ""),
        interview=data.get("interview", ""),
        needs=tuple(data.get("needs", ())),
    )


@cache
def _asked(kata: Kata) -> Asked:
    from .reading import read_asked

    return read_asked(kata.data)


def _contract(contract: dict[str, Any]) -> Contract:
    return Contract(
        constructor=tuple(contract["constructor"]),
        forward=tuple(contract["forward"]),
        heads=contract["heads"],
        source=contract["source"],
        causal=contract["causal"],
        masks=tuple(contract["masks"]),
        output=contract["output"],
        dropout=contract["dropout"],
        fused=contract["fused"],
        forbidden=tuple(contract["forbidden"]),
    )
