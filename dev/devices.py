"""What a GPU, the pretended one and torch's fake tensors say of the device programs.

`python -m attn_kata.dev.devices docs/cuda.md` writes the table between the file's two marks;
with no file it prints it. The GPU's column is filled where there is one, and kept as it is
where there is none.
"""

from __future__ import annotations

import contextlib
import re
import sys
import warnings
from collections.abc import Callable, Generator, Sequence
from pathlib import Path

import torch

from ..checker.candidate.accelerator import answer_as
from ..checker.candidate.pretended_gpu import PretendedGPU
from .device_programs import PROGRAMS, RULES, Keeper, Program, keeper_on

__all__ = ["fake", "main", "pretended", "real", "table"]

RUNS, REFUSES, NONE = "runs", "refuses", "–"

_MARKS = ("<!-- device programs -->\n", "<!-- end of device programs -->\n")
# What says that two devices met, in torch's words and in those of its fake tensors.
_MET = re.compile(r"same device|two (different )?devices|indexed tensor|convert cuda|to numpy")


def pretended(program: Program) -> str:
    """What the pretended GPU says of a program: `runs`, `refuses`, or the odd exception."""
    module, x = Keeper(), torch.linspace(-1, 1, 9).view(3, 3)
    gpu = PretendedGPU(__file__)
    gpu.place(module, [x])

    def attempt() -> object:
        with gpu, torch.no_grad():
            return program.run(x, module)

    with _gpu_machine():
        return _answered(attempt, "raises")


def fake(program: Program) -> str:
    """What FakeTensorMode says: `runs`, `refuses`, or `–` where it has no opinion."""
    from torch._subclasses.fake_tensor import FakeTensorMode

    def attempt() -> object:
        with FakeTensorMode(), torch.no_grad():
            return program.run(torch.ones(3, 3, device="cuda:0"), keeper_on("cuda:0"))

    # Without CUDA much of it fails for want of the device, which is no opinion.
    with _gpu_machine():
        return _answered(attempt, NONE)


def real(program: Program) -> str:
    """What a GPU says; `–` where there is none."""
    if not torch.cuda.is_available():
        return NONE

    def attempt() -> object:
        with torch.no_grad():
            x = torch.linspace(-1, 1, 9, device="cuda").view(3, 3)
            return program.run(x, Keeper().to("cuda"))

    # One GPU has no second: `invalid device ordinal` refuses as well.
    return _answered(attempt, REFUSES)


def _answered(attempt: Callable[[], object], otherwise: str) -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            attempt()
        except Exception as fault:  # noqa: BLE001 - torch's exceptions are of many types
            return REFUSES if _MET.search(str(fault)) else otherwise
    return RUNS


@contextlib.contextmanager
def _gpu_machine() -> Generator[None]:
    """Have torch.cuda answer as where there is a GPU."""
    rows = answer_as(cuda=True)
    before = [getattr(owner, name) for owner, name, _ in rows]
    try:
        for owner, name, answer in rows:
            setattr(owner, name, answer)
        yield
    finally:
        for (owner, name, _), old in zip(rows, before, strict=True):
            setattr(owner, name, old)


def table(known: dict[str, str] | None = None) -> str:
    """The programs with all verdicts, in Markdown.

    known: a GPU's answers by rule and name, from a table that was made where there was one.
    """
    rows = [("program", "expected", "pretended", "fake", "GPU", "rule")]
    for program in PROGRAMS:
        on_gpu = real(program)
        if on_gpu == NONE and known:
            on_gpu = known.get(program.name, NONE)
        rows.append((
            f"`{program.name}`",
            RUNS if program.runs else REFUSES,
            pretended(program),
            fake(program),
            on_gpu,
            program.rule,
        ))  # fmt: skip
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    lines.insert(1, "|---" * len(rows[0]) + "|")
    rules = [f"- **{name}**: {text}" for name, text in RULES.items()]
    return "\n".join([*lines, "", *rules, ""])


def filled(text: str) -> str:
    """Return a document with the table between its marks made anew."""
    before, _, rest = text.partition(_MARKS[0])
    old, _, after = rest.partition(_MARKS[1])
    known = dict(re.findall(r"^\| `(.+?)` \|(?:[^|]*\|){3} (\S+) \|", old, re.MULTILINE))
    return f"{before}{_MARKS[0]}{table(known)}{_MARKS[1]}{after}"


def main(arguments: Sequence[str]) -> int:
    """Print the table, or write it into the files named."""
    for name in arguments:
        path = Path(name)
        path.write_text(filled(path.read_text("utf-8")), "utf-8")
    if not arguments:
        sys.stdout.write(table())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
