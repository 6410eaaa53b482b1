"""Answers to exact questions: a choice, an order, a number, a shape, a line."""

from __future__ import annotations

import ast
import operator
import random
import re
from collections.abc import Callable, Sequence

from .questions import Asked
from .reading.concepts import says_nothing

__all__ = ["given_up", "is_right", "letters", "shown", "understood"]

_OPERATORS: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
}
_UNITS = {"k": 1, "m": 2, "g": 3, "t": 4}
_BYTES = re.compile(r"^(.*?)\s*([kmgt])(i?)b(?:ytes?)?$")
_SCALE = re.compile(r"^(.*?)\s*(k|m|thousand|million|billion|万|亿)$")
_SCALES = {
    "k": 1e3,
    "m": 1e6,
    "thousand": 1e3,
    "million": 1e6,
    "billion": 1e9,
    "万": 1e4,
    "亿": 1e8,
}
# Small numbers as they are said.
_SAID = {
    **dict.fromkeys(("zero", "none", "nothing", "零"), "0"),
    **dict.fromkeys(("one", "once", "一"), "1"),
    **dict.fromkeys(("two", "twice", "double", "doubles", "doubled", "两", "二", "翻", "加"), "2"),
    **dict.fromkeys(("half", "halves", "halved", "一半", "减半"), "0.5"),
    **dict(zip(("three", "four", "five", "six", "seven", "eight"), "345678", strict=True)),
    **dict(zip("三四五六七八", "345678", strict=True)),
}
# Rounded answers are right answers.
_NEAR = 0.006


def letters(count: int) -> str:
    """Return the letters that options go by."""
    return "abcdefgh"[:count]


def shown(asked: Asked, seed: int) -> tuple[int, ...]:
    """Return the options' order on the screen, the same for a question and interview."""
    order = list(range(len(asked.options)))
    chance = random.Random(f"options {asked.id} {seed}")  # noqa: S311 - a draw, not a secret
    chance.shuffle(order)
    return tuple(order)


def understood(asked: Asked, text: str) -> bool:
    """Whether a text is an answer of the kind that is asked for, right or not."""
    if asked.kind in {"choose", "order"}:
        return bool(_picked(asked, text))
    return bool(_numbers(asked, text))


def given_up(text: str) -> bool:
    """Whether somebody says to have no answer; what ends in one all the same is asked again."""
    return says_nothing(text) and not re.search(r"\d|\b[a-h]\W*$", text.lower())


def is_right(asked: Asked, text: str, seed: int) -> bool:
    """Whether a text is the right answer."""
    if asked.kind in {"choose", "order"}:
        order = shown(asked, seed)
        said = tuple(float(order[at]) for at in _picked(asked, text))
        return said == asked.expected
    return _fits(asked, _numbers(asked, text))


def _fits(asked: Asked, numbers: Sequence[Sequence[float]]) -> bool:
    """Whether one of the readings of a text is right; sizes are counted in 1000s or 1024s."""
    if asked.kind == "line":
        return any(len(one) == 1 and one[0] in asked.expected for one in numbers)
    return any(
        len(one) == len(asked.expected)
        and all(abs(a - b) <= _NEAR * abs(b) for a, b in zip(one, asked.expected, strict=True))
        for one in numbers
    )


def _picked(asked: Asked, text: str) -> tuple[int, ...]:
    """Return the options that a text names, by letter or number; none where it names others."""
    count = len(asked.options)
    low = re.sub(r"[().,、，→>\-]", " ", text.strip().lower())
    parts = low.split()
    if len(parts) == 1 and len(parts[0]) > 1 and set(parts[0]) <= set(letters(count)):
        parts = list(parts[0])
    names = {**{one: at for at, one in enumerate(letters(count))}}
    names |= {str(at + 1): at for at in range(count)}
    found = tuple(names[part] for part in parts if part in names)
    wanted = count if asked.kind == "order" else 1
    fits = len(found) == len(parts) == wanted and len(set(found)) == wanted
    return found if fits else ()


def _numbers(asked: Asked, text: str) -> list[tuple[float, ...]]:
    """Return the readings of a text as numbers."""
    low = text.strip().lower().rstrip("。.")
    if asked.kind == "shape":
        whole = [int(one) for one in re.findall(r"\d+", low)]
        return [tuple(float(one) for one in whole)] if whole else []
    if asked.kind == "line":
        found = re.fullmatch(r"(?:on |at )?(?:line|第)?\s*(\d+)\s*(?:行)?", low)
        return [(float(found[1]),)] if found else []
    low = re.sub(
        r"(?:parameters?|params|bytes?|字节|个?参数|entries|times|(?<=\d)x|倍|个)$", "", low
    ).strip()
    low = _SAID.get(low.removeprefix("it "), low)
    sized = _BYTES.fullmatch(text.strip().lower().rstrip("。."))
    if sized:
        value = _value(sized[1])
        power = _UNITS[sized[2]]
        bases = (1024,) if sized[3] else (1024, 1000)
        return [] if value is None else [(value * base**power,) for base in bases]
    scaled = _SCALE.fullmatch(low)
    value = _value(scaled[1]) if scaled else _value(low)
    if value is None:
        return []
    return [(value * _SCALES[scaled[2]],)] if scaled else [(value,)]


def _value(text: str) -> float | None:
    """Return what a number or a small sum comes to: `4 * 512^2`, `1,048,576`."""
    plain = re.sub(r"(?<=\d)[,_](?=\d{3})", "", text.strip())
    plain = plain.replace("^", "**").replace("×", "*").replace("·", "*").replace("²", "**2")
    plain = re.sub(r"(?<=\d)\s*x\s*(?=\d)", "*", plain).strip("= ")
    if not plain or len(plain) > 80:
        return None
    try:
        return _sum(ast.parse(plain, mode="eval").body)
    except (SyntaxError, ValueError, ZeroDivisionError, OverflowError):
        return None


def _sum(node: ast.expr) -> float:
    if isinstance(node, ast.Constant) and type(node.value) in {int, float}:
        return float(node.value)  # type: ignore[arg-type]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_sum(node.operand)
    if isinstance(node, ast.BinOp):
        left, right = _sum(node.left), _sum(node.right)
        if isinstance(node.op, ast.Pow):
            if abs(left) > 1e6 or abs(right) > 64:
                raise ValueError("too large")
            return float(left**right)
        if type(node.op) in _OPERATORS:
            return _OPERATORS[type(node.op)](left, right)
    raise ValueError("not a number")
