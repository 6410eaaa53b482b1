"""The decoding experiment: run beside the command, which never imports torch itself."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass

from ..kata.catalogue import Kata, katas
from .errors import Refusal

__all__ = ["LENGTH", "Row", "Stage", "experiment"]

_RUN = (
    "import sys\n"
    "if sys.path and sys.path[0] == '': del sys.path[0]\n"
    "from attn_kata.reference.decoding import main\n"
    "main()\n"
)
LENGTH = 6
# A draw in which two decimals show what happens.
_SEED = 3
# Rounding moves a row by some 1e-16; one that sees a new token moves by far more.
_SAME = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One token's output. moved: by how much at most since the stage before; None for a new one."""

    values: tuple[float, ...]
    moved: float | None

    @property
    def changed(self) -> bool:
        """Whether it was there and is not what it was."""
        return self.moved is not None and self.moved > _SAME


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """The outputs for one prefix: with the look-ahead mask, and with the mask lifted."""

    masked: tuple[Row, ...]
    opened: tuple[Row, ...]


def experiment(kata: Kata) -> list[Stage]:
    """Feed the causal model answer ever more tokens.

    Raises Refusal for a kata without a built-in mask, and where torch cannot be run.
    """
    if kata.promised is None or not kata.promised.causal:
        causal = [one.id for one in katas() if one.promised and one.promised.causal]
        raise Refusal("live-none", kata=kata.id, commands=tuple(f"show {n} --live" for n in causal))
    command = [sys.executable, "-c", _RUN, str(LENGTH), str(_SEED)]
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    if done.returncode:
        last = (done.stderr.strip().splitlines() or [str(done.returncode)])[-1]
        raise Refusal("live-failed", reason=last, commands=("doctor",))
    prefixes = json.loads(done.stdout)
    return [
        Stage(
            masked=_rows([one["masked"] for one in prefixes[: place + 1]]),
            opened=_rows([one["open"] for one in prefixes[: place + 1]]),
        )
        for place in range(len(prefixes))
    ]


def _rows(stages: list[list[list[float]]]) -> tuple[Row, ...]:
    """The rows of the last stage, held against the stage before."""
    now = stages[-1]
    before = stages[-2] if len(stages) > 1 else []
    return tuple(
        Row(values=tuple(values), moved=_moved(before[place], values) if before[place:] else None)
        for place, values in enumerate(now)
    )


def _moved(before: list[float], now: list[float]) -> float:
    return max(abs(one - other) for one, other in zip(before, now, strict=True))
