"""The lesson that comes before a kata's stub: an idea, an example by hand, steps that run.

`learn.LANGUAGE.md` is the text, `learn.py` the steps, which a text calls by `{step 1}`, and
`learn.toml` what they print and the picture that they end in, as `dev.lessons` stored it.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from .catalogue import Kata

if sys.version_info >= (3, 11):
    import tomllib
else:  # pragma: no cover - the same parser under its older name
    import tomli as tomllib

__all__ = [
    "CODE", "END", "OUTPUTS", "Lesson", "Part", "Plot", "Step", "cells", "drawing", "lesson",
    "play", "text",
]  # fmt: skip

CODE = "learn.py"
OUTPUTS = "learn.toml"
# What `play` writes after each step: ASCII's record separator.
END = "\x1e"
_CELL = re.compile(r"(?m)^# %% .*\n")
_PICTURE = "# %% picture\n"
_CALL = re.compile(r"(?m)^\{(step \d+|picture)\}$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One cell of code, and what it prints."""

    code: str
    output: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Plot:
    """Numbers with their labels, drawn as shades."""

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    values: tuple[tuple[float, ...], ...]


Part = str | Step | Plot


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson:
    """A kata's lesson in one language: Markdown, steps and the picture, in order."""

    parts: tuple[Part, ...]

    @property
    def steps(self) -> tuple[Step, ...]:
        """The code alone, in order."""
        return tuple(part for part in self.parts if isinstance(part, Step))

    @property
    def plot(self) -> Plot:
        """The picture."""
        return next(part for part in self.parts if isinstance(part, Plot))


def cells(path: Path) -> list[str]:
    """Return the steps of a `learn.py`, which `# %%` divides; what makes the picture is none."""
    shown, _, _ = path.read_text("utf-8").partition(_PICTURE)
    return [cell.strip("\n") for cell in _CELL.split(shown)[1:]]


def drawing(path: Path) -> str:
    """Return the code that makes the picture, after the steps."""
    return path.read_text("utf-8").partition(_PICTURE)[2]


def text(kata: Kata, language: str) -> str:
    """Return a lesson's Markdown as it is written."""
    return (kata.folder / f"learn.{language}.md").read_text("utf-8")


def lesson(kata: Kata, language: str) -> Lesson:
    """Read a kata's lesson."""
    stored = tomllib.loads((kata.folder / OUTPUTS).read_text("utf-8"))
    codes = cells(kata.folder / CODE)
    steps = [
        Step(code=code, output=output.strip("\n"))
        for code, output in zip(codes, stored["outputs"], strict=True)
    ]
    drawn = stored["picture"]
    plot = Plot(
        rows=tuple(drawn["rows"]),
        columns=tuple(drawn["columns"]),
        values=tuple(tuple(row) for row in drawn["values"]),
    )
    return Lesson(parts=tuple(_parts(text(kata, language), steps, plot)))


def _parts(markdown: str, steps: list[Step], plot: Plot) -> Iterator[Part]:
    for place, piece in enumerate(_CALL.split(markdown)):
        if place % 2 == 0:
            yield from [piece.strip("\n")] if piece.strip() else []
        elif piece == "picture":
            yield plot
        else:
            yield steps[int(piece.removeprefix("step ")) - 1]


def play(path: str) -> None:
    """Run the steps of a `learn.py` one after the other: in a process of its own, as they are."""
    space = {"__name__": "learn"}
    for number, code in enumerate(cells(Path(path)), 1):
        exec(compile(code, f"<step {number}>", "exec"), space)  # noqa: S102 - our own text
        sys.stdout.write(f"{END}\n")
        sys.stdout.flush()
