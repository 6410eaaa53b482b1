"""Questions from the candidate's own code, checked against it: its trace, its roles, its source."""

from __future__ import annotations

import ast
import random
import re
from collections.abc import Iterator, Mapping
from typing import Any

from ...kata.catalogue import Kata
from .texts import table
from .used import code_judged

__all__ = ["facts", "own_questions"]

_SIZES = {
    "batch": (2, 3, 4), "heads": (4, 8, 16), "length": (64, 100, 128), "hidden_dim": (256, 512),
    "query_length": (3, 16, 64), "key_length": (50, 100, 128),
}  # fmt: skip
_LONG = (1024, 2048, 4096)
_BLOCK = re.compile(r"block_size|max_len|max_length|context_length|max_seq_len|n_ctx|context_size")
_CALLS = ("contiguous", "view", "cat", "cumsum", "repeat_interleave", "reshape")
_COPIES = {"reshape", "contiguous", "flatten", "clone"}
_FILLS = {"masked_fill", "masked_fill_"}

_Question = dict[str, Any]


def facts(kata: Kata, source: str, report: Mapping[str, Any]) -> frozenset[str]:
    """Return what a submission has of what questions may need."""
    code = code_judged(source, report)
    found = {name for name in _CALLS if name in _called(code)}
    roles = [name for role, name in report.get("roles", {}).items() if role != "o"]
    if len(set(roles)) < len(roles):
        found.add("fused")
    if _BLOCK.search(ast.unparse(code)):
        found.add("block_size")
    many = kata.promised is not None and kata.promised.heads == "many"
    if many or any("heads" in step.get("axes", ()) for step in report.get("trace", ())):
        found.add("several heads")
    return frozenset(found)


def own_questions(
    kata: Kata, source: str, report: Mapping[str, Any], seed: int
) -> list[tuple[str, _Question]]:
    """Return questions about a submission that passed, with their names, in a drawn order."""
    chance = random.Random(f"own {kata.id} {seed}")  # noqa: S311 - a draw, not a secret
    steps = list(report.get("trace", ()))
    found = [
        *_shapes(steps, chance),
        *_bytes(steps, chance),
        *_lines(steps),
        *_parameters(report, chance),
        *_fills(code_judged(source, report)),
    ]
    chance.shuffle(found)
    # What is about numerics or cost comes first: a bank has fewer of these.
    found.sort(key=lambda one: not one[1]["numeric"])
    return [(f"own:{kata.id}:{name}", question) for name, question in found]


def _called(code: ast.Module) -> set[str]:
    """Return the names of methods and of others' functions: `view`, `cat`."""
    return {node.attr for node in ast.walk(code) if isinstance(node, ast.Attribute)}


def _sizes(axes: list[str], chance: random.Random) -> dict[str, int] | None:
    """Draw a size for each axis, head_dim from the width; None where an axis has no name."""
    drawn = {name: chance.choice(sizes) for name, sizes in _SIZES.items()}
    drawn["head_dim"] = drawn["hidden_dim"] // drawn["heads"]
    return drawn if axes and set(axes) <= drawn.keys() else None


def _milestone(steps: list[dict[str, Any]], *names: str) -> dict[str, Any] | None:
    return next((step for step in steps if step.get("milestone") in names), None)


def _shapes(steps: list[dict[str, Any]], chance: random.Random) -> Iterator[tuple[str, _Question]]:
    step = _milestone(steps, *chance.sample(["context", "weights", "key", "scores"], 4))
    sizes = _sizes(step["axes"], chance) if step else None
    if step is None or sizes is None:
        return
    shape = [sizes[name] for name in step["axes"]]
    used = sorted(set(step["axes"]) | ({"heads", "hidden_dim"} & _around(step)))
    values = {
        "line": step["line"],
        "call": step["call"],
        "sizes": {name: sizes[name] for name in used},
        "shape": ", ".join(map(str, shape)),
        "axes": ", ".join(step["axes"]),
    }
    yield "shape", _made("shape", shape, values)


def _around(step: dict[str, Any]) -> set[str]:
    return {"heads", "hidden_dim"} if "head_dim" in step["axes"] else set()


def _bytes(steps: list[dict[str, Any]], chance: random.Random) -> Iterator[tuple[str, _Question]]:
    step = _milestone(steps, "weights")
    sizes = _sizes(step["axes"], chance) if step else None
    if step is None or sizes is None:
        return
    length = chance.choice(_LONG)
    sizes |= dict.fromkeys(("length", "query_length", "key_length"), length)
    count = 2
    for name in step["axes"]:
        count *= sizes[name]
    values = {
        "line": step["line"],
        "sizes": {name: sizes[name] for name in sorted(set(step["axes"]))},
        "sum": " · ".join(str(sizes[name]) for name in step["axes"]),
        "bytes": f"{count:,}",
    }
    yield "bytes", _made("number", [count], values, text="bytes", numeric=True)


def _lines(steps: list[dict[str, Any]]) -> Iterator[tuple[str, _Question]]:
    """Where is the copy? Merging heads that were swapped back has to make one."""
    swapped = False
    for step in steps:
        if step["call"] in {"transpose", "permute", "swapaxes", "movedim"}:
            swapped = step.get("milestone") == "by_position"
        elif swapped and step["call"] in _COPIES:
            yield (
                "copy",
                _made("line", [step["line"]], {"line": step["line"], "call": step["call"]}),
            )
            return


def _parameters(
    report: Mapping[str, Any], chance: random.Random
) -> Iterator[tuple[str, _Question]]:
    roles: Mapping[str, str] = report.get("roles", {})
    counted = next((one["cases"] for one in report["checks"] if one["id"] == "parameters"), 0)
    if not counted or not {"q", "k", "v"} <= roles.keys():
        return
    weights = len(set(roles.values()))
    biased = {0: 0, weights: 1}.get(counted - weights)
    if biased is None:
        return
    width = chance.choice(_SIZES["hidden_dim"])
    count = len(roles) * (width * width + biased * width)
    values = {
        "width": width,
        "matrices": len(roles),
        "count": f"{count:,}",
        "sum": f"{len(roles)} · {width}²" + (f" + {len(roles)} · {width}" if biased else ""),
    }
    yield "parameters", _made("number", [count], values, text="parameters", numeric=True)


def _fills(code: ast.Module) -> Iterator[tuple[str, _Question]]:
    """What does the fill do in float16, and to a row without any key?"""
    called = _called(code)
    for node in ast.walk(code):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
            continue
        if node.func.attr not in _FILLS or len(node.args) != 2:
            continue
        kind = _fill(node.args[1])
        if kind:
            values = {"line": node.lineno, "fill": ast.unparse(node.args[1])}
            if "float" not in called:
                yield "half", _made("choose", [0], values, text=f"half-{kind}", numeric=True)
            if {"nan_to_num", "where"} & called:
                return
            empty = "infinite" if kind == "infinite" else "finite"
            yield "empty", _made("choose", [0], values, text=f"empty-{empty}", numeric=True)
            return


def _fill(node: ast.expr) -> str:
    """Return what a fill is: infinite, large (too large for float16) or fitting; "" if unclear."""
    text = ast.unparse(node).replace('"', "'")
    if re.fullmatch(r"-?(?:float\('-?inf'\)|(?:math|torch|np|numpy)\.inf)", text):
        return "infinite" if "-" in text else ""
    if re.fullmatch(r"torch\.finfo\([\w.]+\.dtype\)\.min", text):
        return "fitting"
    try:
        number = float(ast.literal_eval(node))
    except (ValueError, TypeError, SyntaxError):
        return ""
    if number <= -65520:
        return "large"
    return "fitting" if number <= -10000 else ""


def _made(
    kind: str, expected: list[int], values: dict[str, Any], *, text: str = "", numeric: bool = False
) -> _Question:
    rows = table("own.toml")
    found: _Question = {"kind": kind, "expected": expected, "numeric": numeric}
    for language in ("en", "zh"):
        row = rows[text or kind][language]
        filled = {**values, "sizes": _told(values.get("sizes", {}), language)}
        found[language] = {
            "ask": row["ask"].format(**filled),
            "answer": row["answer"].format(**filled),
        }
        if "options" in row:
            found[language]["options"] = [one.format(**filled) for one in row["options"]]
    return found


def _told(sizes: Mapping[str, int], language: str) -> str:
    names: Mapping[str, Mapping[str, str]] = table("own.toml")["axes"]
    rows = [names[name][language].format(size=size) for name, size in sizes.items()]
    return ("、" if language == "zh" else ", ").join(rows)
