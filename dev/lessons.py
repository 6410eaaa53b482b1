"""The lessons' code is run: what it prints and draws is stored beside it, and texts keep to it."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from ..kata.lessons import CODE, OUTPUTS, cells, drawing
from .layout import LANGUAGES, problem

__all__ = ["SECTIONS", "lesson_problems", "stored"]

SECTIONS = {
    "en": ["The idea", "By hand", "Step by step", "To remember"],
    "zh": ["想法", "手算", "一步一步", "记住"],
}
_CALL = re.compile(r"(?m)^\{(step \d+|picture)\}$")
_DECIMAL = re.compile(r"\d+\.\d+")
_WIDEST = 76
# What a screen of 80 shows of an output, behind its bar; the rest is cut.
_WIDEST_SAID = 74


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What came of a lesson's steps."""

    outputs: list[str]
    picture: dict[str, Any]


def stored(folder: Path) -> str:
    """Return what the file of outputs of a kata's folder must hold."""
    run = _run(folder / CODE)
    outputs = "".join(f"'''\n{output}''',\n" for output in run.outputs)
    picture = "".join(
        f"{key} = {json.dumps(value, ensure_ascii=False)}\n" for key, value in run.picture.items()
    )
    return (
        "# Written by `python -m attn_kata.dev.figures`; see there. Change nothing by hand.\n"
        f"outputs = [\n{outputs}]\n\n[picture]\n{picture}"
    )


def lesson_problems(room: Path) -> Iterator[str]:
    """Yield what is wrong with the lessons of a room of katas."""
    for folder in sorted(path.parent for path in room.glob("*/kata.toml")):
        if not (folder / CODE).is_file():
            yield problem(_named(folder, CODE), "is missing", "write the lesson's steps")
            continue
        try:
            wanted = stored(folder)
        except Exception as fault:  # noqa: BLE001 - whatever a step raises is what is told
            yield problem(_named(folder, CODE), f"does not run ({fault})", "mend the step")
            continue
        path = folder / OUTPUTS
        if not path.is_file() or path.read_text("utf-8") != wanted:
            yield problem(_named(folder, OUTPUTS), "is out of date", "run `make figures`")
        for language in LANGUAGES:
            yield from _text_problems(folder, language, wanted)


def _text_problems(folder: Path, language: str, outputs: str) -> Iterator[str]:
    path = folder / f"learn.{language}.md"
    where = _named(folder, path.name)
    if not path.is_file():
        yield problem(where, "is missing", "write the lesson")
        return
    text = path.read_text("utf-8")
    heads = [row.removeprefix("## ") for row in text.split("\n") if row.startswith("## ")]
    if heads != SECTIONS[language]:
        yield problem(where, f"has the sections {heads}", f"it must have {SECTIONS[language]}")
    codes = cells(folder / CODE)
    calls = [call for call in _CALL.findall(text) if call != "picture"]
    wanted = [f"step {number}" for number in range(1, len(codes) + 1)]
    if calls != wanted or "\n{picture}\n" not in text:
        yield problem(where, f"calls {calls}", f"call {wanted} in order, and {{picture}}")
    said = outputs + "".join(codes)
    for number, row in enumerate(text.split("\n"), 1):
        for figure in _DECIMAL.findall(row):
            if figure not in said:
                yield problem(f"{where}:{number}", f"no step gives {figure}", "let one print it")


def _run(path: Path) -> Run:
    """Run the steps in one namespace, as a person would."""
    torch.manual_seed(0)
    torch.set_printoptions(profile="default")
    space: dict[str, Any] = {"__name__": "learn"}
    outputs: list[str] = []
    for number, code in enumerate(cells(path), 1):
        if any(len(row) > _WIDEST for row in code.split("\n")):
            raise ValueError(f"step {number} is wider than {_WIDEST} columns")
        said = io.StringIO()
        with redirect_stdout(said):
            exec(compile(code, f"<step {number}>", "exec"), space)  # noqa: S102 - our own text
        outputs.append(said.getvalue())
        if any(len(row) > _WIDEST_SAID for row in outputs[-1].split("\n")):
            raise ValueError(f"step {number} prints a line wider than {_WIDEST_SAID} columns")
    exec(compile(drawing(path), "<picture>", "exec"), space)  # noqa: S102 - our own text
    values = torch.as_tensor(space["picture"], dtype=torch.float64)
    rows, columns = (list(map(str, space[name])) for name in ("rows", "columns"))
    if values.shape != (len(rows), len(columns)):
        raise ValueError(f"the picture is {tuple(values.shape)}, with {len(rows)} rows")
    shown = [[round(value, 4) for value in row] for row in values.tolist()]
    return Run(outputs=outputs, picture={"rows": rows, "columns": columns, "values": shown})


def _named(folder: Path, name: str) -> str:
    return f"kata/{folder.name}/{name}"
