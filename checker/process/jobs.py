"""What the command process asks of a judge: to judge a file, or to time the one just judged."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from .forms import one_of

__all__ = ["Job", "Options", "TimeJob", "job_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How to judge. memory is in bytes beside torch's own, 0 for a share of the machine's.

    device: `auto`, `cpu`, or where the code is to run too: `cuda`, `cuda:1`, `xpu`, `mps`.
    heat: whether the report is to hold the attention weights of one small case.
    diagnose: whether mistakes are named; without, there is the verdict alone.
    beside: the folder whose files it may import, where that is not the file's own.
    any_mask: whether it is enough that masks of some dtype are taken; a bool one has to be else.
    """

    class_name: str | None = None
    mask: str = "keep"
    device: str = "auto"
    seed: int | None = None
    timeout: float = 20.0
    memory: int = 0
    heat: bool = False
    diagnose: bool = True
    beside: str = ""
    any_mask: bool = False

    def seeded(self) -> Options:
        """The same with a seed: a random one where none was given."""
        seed = random.SystemRandom().randrange(10**4) if self.seed is None else self.seed
        return replace(self, seed=seed)


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A file to be judged for a kata. packs: the folders of katas that are not the package's."""

    kata: str
    file: str
    options: Options
    packs: Sequence[str] = field(default_factory=list[str])

    @property
    def seed(self) -> int:
        """What the judge draws from."""
        return self.options.seed or 0


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeJob:
    """The file that was judged last is to be timed at these lengths."""

    lengths: Sequence[int]


def job_of(message: Any) -> Job | TimeJob:
    """Make a job of what was received. Raise Garbled where it is none."""
    return one_of((Job, TimeJob), message)
