"""What was found in trying one function or class."""

from __future__ import annotations

from dataclasses import dataclass, field

import torch

from ..process.answers import Raised
from .trials import Finding, Trial

__all__ = ["Found"]


@dataclass(slots=True, kw_only=True)
class Found:
    """What came of trying one function.

    counts, findings: by check. dropped: mask dtypes that it does not take, and why. modified:
    inputs that it changed. rewritten: whether a call changed the state that it was handed.
    printed: lines that print. state: fail-random, fail-state, fail-kept, fail-stale or
    fail-unturned. narrowed: a call that gave another dtype than it was given. rounded: whether far
    positions come out wrong because buffers are brought to bfloat16. stalled: a long sequence that
    comes out wrong because sums are added up in bfloat16. work: the dtype that values are decided
    in, dtypes: the others. refused: what is raised in float64, where they are decided in float32
    for that.
    """

    counts: dict[str, int] = field(default_factory=dict)
    findings: dict[str, list[Finding]] = field(default_factory=dict)
    dropped: dict[torch.dtype, Finding] = field(default_factory=dict)
    forms: tuple[tuple[str, ...], ...] = ()
    modified: set[str] = field(default_factory=set)
    rewritten: bool = False
    printed: list[int | None] = field(default_factory=list)
    state: str | None = None
    work: torch.dtype = torch.float64
    refused: Raised | None = None
    nan_rows: bool = False
    half_faults: list[Raised] = field(default_factory=list)
    dtypes: dict[str, None] = field(default_factory=dict)
    container: int = 0
    narrowed: Trial | None = None
    rounded: bool = False
    stalled: Trial | None = None
    place: int = 0
