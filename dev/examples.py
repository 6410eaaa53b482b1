"""A page's figure, made by running the page's own code, wrong and right, on a few small numbers."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from .layout import LANGUAGES
from .statements import FILE, Source, names_of, result_of, runner, sources

__all__ = ["examples"]

_SIGNS = (("right", "✓"), ("wrong", "×"))
_WIDE = 8


def examples(room: Path) -> Iterator[tuple[Path, str, dict[str, str]]]:
    """Yield the folder, the page and its figures for each `[[figure]]` of a room of katas."""
    for source in sources(room):
        for row in source.figures:
            yield source.folder, row["page"], _figures(source, row)


def _figures(source: Source, row: dict[str, Any]) -> dict[str, str]:
    figures = {f"lead-{language}": row[language] for language in LANGUAGES}
    pages = source.folder / "pages"
    page = (pages if pages.is_dir() else source.folder) / f"{row['page']}.en.md"
    names = names_of(source, row["page"])
    exec(compile(row["given"], str(source.folder / FILE), "exec"), names)  # noqa: S102 - our text
    sides = {side: _worked(page.read_text("utf-8"), side, names, row) for side, _ in _SIGNS}
    widest = max(len(name) for name in row["shows"])
    rows = [
        f"{sign} {name.ljust(widest)}{_cells(sides[side][name])}"
        for name in row["shows"]
        for side, sign in (_SIGNS if _differ(sides, name) else [("right", " ")])
    ]
    return {**figures, "numbers": "\n".join(rows)}


def _worked(page: str, side: str, names: dict[str, Any], row: dict[str, Any]) -> dict[str, Any]:
    """Run one side of a page and what follows it; return what is to be shown."""
    given = {k: v.clone() if isinstance(v, Tensor) else v for k, v in names.items()}
    space = {**names, **vars(runner(page, side, given)())}
    exec(compile(row["then"], "<then>", "exec"), space)  # noqa: S102 - our own text
    return {name: result_of(name, space) for name in row["shows"]}


def _differ(sides: dict[str, dict[str, Any]], name: str) -> bool:
    one, other = (torch.as_tensor(side[name]).double() for side in sides.values())
    return one.shape != other.shape or not bool(
        torch.isclose(one, other, rtol=0, atol=1e-9, equal_nan=True).all()
    )


def _cells(value: Any) -> str:
    return "".join(
        f"{_number(each):>{_WIDE}}" for each in torch.as_tensor(value).flatten().tolist()
    )


def _number(value: float) -> str:
    """Write a number as a person would by hand: whole where it is whole."""
    if not math.isfinite(value):
        return str(value)
    return f"{value:.0f}" if float(value).is_integer() else f"{value:.2f}"
