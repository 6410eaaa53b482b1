"""Interview questions whose answer is a number: a formula, drawn with fresh numbers each time."""

from __future__ import annotations

import ast
import math
import random
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:  # pragma: no cover - the same parser under its older name
    import tomli as tomllib

__all__ = ["FILE", "Drawn", "Number", "numbers", "spelled", "worth"]

FILE = "numbers.toml"
# What a formula may call.
_FUNCTIONS = {
    "ceil": math.ceil, "exp": math.exp, "max": max, "min": min, "pi": math.pi, "sqrt": math.sqrt,
    "tanh": math.tanh,
}  # fmt: skip
_NAME = re.compile(r"[a-z_]+")
# An answer from the head counts where it is so near.
_NEAR = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class Number:
    """One such question. draw: what each name in the formula may be; texts come by language.

    exact: it counts something, and no neighbour of the answer is right.
    """

    id: str
    kata: str
    topic: str
    level: str
    draw: dict[str, tuple[float, ...]]
    formula: str
    unit: dict[str, str]
    ask: dict[str, str]
    why: dict[str, str]
    exact: bool = False

    def drawn(self, seed: int) -> Drawn:
        """Draw the numbers of one asking."""
        chance = random.Random(f"{self.id} {seed}")  # noqa: S311 - a draw, not a secret
        return Drawn(question=self, values={k: chance.choice(v) for k, v in self.draw.items()})


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """A question with its numbers."""

    question: Number
    values: dict[str, float]

    @property
    def answer(self) -> float:
        """The number asked for."""
        return worth(self.question.formula, self.values)

    def ask(self, language: str) -> str:
        """Return the question as it is put."""
        shown = {name: spelled(value) for name, value in self.values.items()}
        return self.question.ask[language].format(**shown)

    def worked(self, language: str) -> str:
        """Return the formula with the numbers in it, and what it comes to."""
        row = _NAME.sub(
            lambda found: f"{self.values.get(found[0], found[0])}", self.question.formula
        )
        unit = self.question.unit[language]
        return f"{self.question.formula} = {row} = {spelled(self.answer)} {unit}".rstrip()

    def fits(self, said: str) -> bool:
        """Whether an answer is near enough; units, commas and spaces do not matter."""
        text = said.replace(",", "").strip().split(" ")[0].rstrip("xX×%")
        above, _, below = text.partition("/")
        near = 0.0 if self.question.exact else _NEAR
        try:
            return math.isclose(float(above) / float(below or 1), self.answer, rel_tol=near)
        except (ValueError, ZeroDivisionError):
            return False


def worth(formula: str, values: Mapping[str, float]) -> float:
    """Work a formula out. Raise ValueError where it names what was not drawn."""
    names = {node.id for node in ast.walk(ast.parse(formula)) if isinstance(node, ast.Name)}
    unknown = names - set(values) - set(_FUNCTIONS)
    if unknown:
        raise ValueError(f"`{formula}` names {', '.join(sorted(unknown))}")
    space = {"__builtins__": {}, **_FUNCTIONS, **values}
    return float(eval(formula, space))  # noqa: S307 - our own text


def spelled(value: float) -> str:
    """Write a number with three digits, whole ones whole: 0.125, 3.41, 4,096."""
    if float(value).is_integer() or abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.3g}"


@cache
def numbers() -> tuple[Number, ...]:
    """Return all questions that ask for a number."""
    data = tomllib.loads((Path(__file__).parent / FILE).read_text("utf-8"))
    return tuple(_read(row) for row in data["number"])


def _read(row: dict[str, Any]) -> Number:
    unit = row.get("unit", "")
    return Number(
        id=row["id"],
        kata=row["kata"],
        topic=row["topic"],
        level=row["level"],
        draw={name: tuple(values) for name, values in row["draw"].items()},
        formula=row["formula"],
        unit=unit if isinstance(unit, dict) else {"en": unit, "zh": unit},
        ask={language: row[language].strip() for language in ("en", "zh")},
        why={language: row[f"why-{language}"].strip() for language in ("en", "zh")},
        exact=row.get("exact", False),
    )
