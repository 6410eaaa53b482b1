"""The statements of fact that stand beside the texts as expressions, and are run.

A `claims.toml` lies in a kata's folder, or beside the pages that serve all katas. Each `[[claim]]`
quotes a text in both languages and says in Python what must come out true; each `[[figure]]` makes
a page's figure from the page's own code. `attn-kata dev statements` counts them.
"""

from __future__ import annotations

import ast
import inspect
import math
import re
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import torch
from torch import Tensor, nn

from .layout import LANGUAGES, PACKAGE, load_module, problem, read_toml

__all__ = ["FILE", "Claim", "Source", "claim_problems", "counted", "result_of", "sources"]

FILE = "claims.toml"
_ROOM = PACKAGE / "kata"
_CODE = {
    "wrong": re.compile(r"## Instead of\n+```python\n(.*?)```", re.DOTALL),
    "right": re.compile(r"## Write\n+```python\n(.*?)```", re.DOTALL),
}
_RETURN = re.compile(r"(?m)^return\b")
# What ends a sentence of either language, code left out.
_SENTENCE = re.compile(r"[.:?](?:\s|$)")
_FENCED = re.compile(r"```.*?```", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One statement. place: the file below the folder, without language; holds: what is run."""

    place: str
    text: dict[str, str]
    holds: str
    line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A folder's statements. setup: what runs before each; figures: the rows as they stand."""

    folder: Path
    setup: str
    claims: tuple[Claim, ...]
    figures: tuple[dict[str, Any], ...]

    @property
    def name(self) -> str:
        """How a message names the file."""
        return f"kata/{self.folder.name}/{FILE}"


def sources(room: Path = _ROOM) -> list[Source]:
    """Return the statements of every folder that has some."""
    return [_source(path.parent) for path in sorted(room.glob(f"*/{FILE}"))]


def claim_problems(room: Path = _ROOM) -> Iterator[str]:
    """Yield every statement that its text no longer makes, or that does not hold."""
    for source in sources(room):
        for claim in source.claims:
            where = f"{source.name}:{claim.line}"
            for language in LANGUAGES:
                if not _stands(source.folder, claim, language):
                    said = claim.text[language]
                    yield problem(where, f"{claim.place} ({language}) does not say “{said}”",
                                  "quote it as it stands, or mend the text")  # fmt: skip
            wrong = _fault(source, claim)
            if wrong:
                yield problem(where, f"“{claim.text['en']}” {wrong}", "mend the text or the code")


def result_of(code: str, names: dict[str, Any]) -> Any:
    """Run statements and return what the last one, an expression, is worth."""
    tree = ast.parse(textwrap.dedent(code))
    last = tree.body.pop()
    if not isinstance(last, ast.Expr):
        raise TypeError("its last line is no expression")
    exec(compile(tree, "<claim>", "exec"), names)  # noqa: S102 - our own text
    return eval(compile(ast.Expression(last.value), "<claim>", "eval"), names)  # noqa: S307


def names_of(source: Source, place: str) -> dict[str, Any]:
    """Return what a claim may name: torch, the model answer, the code of its page."""
    names: dict[str, Any] = {
        "torch": torch, "nn": nn, "F": nn.functional, "math": math, "near": _near,
        "draw": _draw,
    }  # fmt: skip
    answer = _answer(source.folder)
    if answer is not None:
        names["answer"] = answer
        names["edited"] = lambda *edits: _edited(answer, edits)
    page = source.folder / f"{place}.en.md"
    if page.is_file():
        for side in _CODE:
            names[side] = runner(page.read_text("utf-8"), side, names)
    torch.manual_seed(0)
    exec(compile(source.setup, str(source.folder / FILE), "exec"), names)  # noqa: S102
    return names


def runner(page: str, side: str, names: dict[str, Any]) -> Callable[..., SimpleNamespace]:
    """Return a function that runs a page's code, wrong or right, and gives what it binds."""
    found = _CODE[side].search(page)

    def run(**given: Any) -> SimpleNamespace:
        # What it returns, or its last line is worth, is bound to `result`.
        tree = ast.parse(_RETURN.sub("result =", found[1] if found else ""))
        if tree.body and isinstance(last := tree.body[-1], ast.Expr):
            tree.body[-1] = ast.Assign([ast.Name("result", ast.Store())], last.value)
        space = {**names, **given}
        exec(compile(ast.fix_missing_locations(tree), f"<{side}>", "exec"), space)  # noqa: S102
        return SimpleNamespace(**{k: v for k, v in space.items() if not k.startswith("__")})

    return run


def _draw(*shape: int) -> Tensor:
    """Standard normal numbers in float64."""
    return torch.randn(shape, dtype=torch.float64)


def _near(one: Any, other: Any, within: float = 1e-6) -> bool:
    """Whether two tensors or numbers are the same but for rounding."""
    one, other = (torch.as_tensor(each, dtype=torch.float64) for each in (one, other))
    return one.shape == other.shape and bool(
        torch.isclose(one, other, rtol=0, atol=within, equal_nan=True).all()
    )


def _source(folder: Path) -> Source:
    data = read_toml(folder / FILE)
    rows = (folder / FILE).read_text("utf-8").split("\n")
    lines = [number for number, row in enumerate(rows, 1) if row.strip() == "[[claim]]"]
    claims = tuple(
        Claim(
            place=row["in"],
            text={one: row[one] for one in LANGUAGES},
            holds=row["holds"],
            line=line,
        )
        for row, line in zip(data.get("claim", []), lines, strict=True)
    )
    figures = tuple(data.get("figure", []))
    return Source(folder=folder, setup=data.get("setup", ""), claims=claims, figures=figures)


@cache
def _answer(folder: Path) -> Any:
    path = folder / "kata.toml"
    if not path.is_file():
        return None
    module = read_toml(path)["reference"]["module"]
    return load_module(folder.parent.parent / "reference" / f"{module}.py")


def _edited(answer: ModuleType, edits: tuple[tuple[str, str], ...]) -> SimpleNamespace:
    """The model answer with some of its text replaced, as a person might have written it."""
    source = inspect.getsource(answer)
    for old, new in edits:
        if source.count(old) != 1:
            raise LookupError(f"`{old}` stands {source.count(old)} times in the model answer")
        source = source.replace(old, new)
    space: dict[str, Any] = {"__name__": "edited"}
    exec(compile(source, "<edited>", "exec"), space)  # noqa: S102 - our own text
    return SimpleNamespace(**{k: v for k, v in space.items() if not k.startswith("__")})


def _stands(folder: Path, claim: Claim, language: str) -> bool:
    """Whether a text says what is quoted, whatever its line breaks."""
    page = folder / f"{claim.place}.{language}.md"
    path = page if page.is_file() else folder / f"{claim.place}.toml"
    return path.is_file() and _flat(claim.text[language]) in _flat(path.read_text("utf-8"))


def _flat(text: str) -> str:
    return re.sub(r"\\\n|\s", "", text)


def _fault(source: Source, claim: Claim) -> str:
    try:
        worth = result_of(claim.holds, names_of(source, claim.place))
    except Exception as fault:  # noqa: BLE001 - whatever it raises is what is told
        return f"cannot be run ({type(fault).__name__}: {fault})"
    true = bool(worth.all()) if isinstance(worth, Tensor) else worth is True
    return "" if true else f"does not hold ({worth})"


def counted() -> list[tuple[str, int, int]]:
    """Return for each folder how many sentences its texts have, and how many statements run."""
    run = {source.folder: len(source.claims) for source in sources()}
    folders = [path for path in sorted(_ROOM.iterdir()) if path.is_dir()]
    rows = ((path.name, _sentences(path), run.get(path, 0)) for path in folders)
    return [row for row in rows if row[1]]


def _sentences(folder: Path) -> int:
    """How many English sentences a folder's pages, brief and questions have."""
    texts = [path.read_text("utf-8") for path in sorted(folder.rglob("*.en.md"))]
    if (folder / "questions.toml").is_file():
        rows = read_toml(folder / "questions.toml")["question"]
        texts += [f"{row['en']['answer']} {row['en']['trap']}" for row in rows]
    return sum(len(_SENTENCE.findall(_FENCED.sub("", text))) for text in texts)
