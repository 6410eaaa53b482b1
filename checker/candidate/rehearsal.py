"""In the candidate's process: a check gone through before there is anything to check."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Protocol

import torch

from ..process import wire
from ..process.requests import (
    Attempt,
    Call,
    Describe,
    Input,
    MakeCalls,
    ObjectRecipe,
    Pretend,
    Record,
    Series,
)  # fmt: skip
from .loading import Submission

__all__ = ["rehearse"]


class Worker(Protocol):
    """What answers the judge's requests."""

    submission: Submission | None

    def describe(self, request: Describe) -> dict[str, Any]:
        """Make objects and call each."""
        ...

    def run(self, request: MakeCalls) -> dict[str, Any]:
        """Make objects, give them weights, and make calls."""
        ...

    def pretend(self, request: Pretend) -> dict[str, Any]:
        """Call an object as on a GPU."""
        ...


# Not attention: what a check does most, in as few lines.
_SOURCE = """
from torch import nn
class Rehearsal(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.layer = nn.Linear(width, width)
        self.drop = nn.Dropout(0.1)
    def forward(self, x, mask=None):
        held = self.layer(x).view(1, 2, 2, 2).transpose(1, 2)
        made = (held @ held.transpose(-2, -1) / 2).masked_fill(held.new_ones(2, 2) == 0, -1.0)
        return self.drop(made.softmax(-1) @ held).transpose(1, 2).reshape(1, 2, 4)
"""


def rehearse(worker: Worker) -> None:
    """Go through the motions of a check while there is nothing to do.

    A fork shares its parent's memory until it writes to it, and Python writes to all that
    it looks at; so a first check would spend a third of its time on copying pages.
    """
    x = torch.ones(1, 2, 4)
    recipe = ObjectRecipe(name="Rehearsal", args=[4])
    call = Call(args=[Input(name="x")], inputs={"x": x}, shapes=[[1, 2, 4]])
    recorded = replace(call, record=Record(values=True))
    calls = [call, recorded, replace(call, grad=x, train=True)]
    series = Series(recipe=recipe, calls=calls, warm=call, dtype="float32")
    worker.submission = Submission(_SOURCE, "<rehearsal>")
    worker.submission.execute(None)
    worker.submission.classes()
    for answer in (
        worker.describe(Describe(tries=[Attempt(recipe=recipe, call=call)])),
        worker.run(MakeCalls(series=[series])),
        worker.pretend(Pretend(recipe=recipe, warm=call, calls=[call])),
    ):
        wire.unpack(*wire.pack(answer))
