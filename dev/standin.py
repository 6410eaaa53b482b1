"""A processor that stands in for a GPU: the zygote, with the CPU as its accelerator.

The tests, and the table of powers, have it started in the real zygote's place; nothing that a
command reads leads here. Tensors stay on the CPU, so that it shows every path of a real device's
but the kernels.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Generator

import torch

from ..checker import Bench
from ..checker.candidate import accelerator
from ..checker.candidate.accelerator import Accelerator, NoStart
from ..checker.process import lasting, launch, zygote

__all__ = ["NAME", "serve", "standing"]

NAME = "a stand-in"

_START = """\
import sys
from attn_kata.dev.standin import serve
serve(int(sys.argv[1]), %r)
"""


@contextlib.contextmanager
def standing(fate: str = "well", judges: int = 1) -> Generator[Bench]:
    """A row of judges on a machine that has a GPU, by its fate; see `serve`."""
    before, launch.START = launch.START, _START % fate
    # A judge that stayed has no such GPU.
    kept, os.environ[lasting.KEEP] = os.environ.get(lasting.KEEP), "0"
    try:
        bench = Bench(judges)
    finally:
        launch.START = before
        os.environ.pop(lasting.KEEP)
        if kept is not None:
            os.environ[lasting.KEEP] = kept
    with bench:
        yield bench


def serve(control: int, fate: str) -> None:
    """Be a zygote. fate: well, two (GPUs), fails, absent or dies."""

    def hoped(asked: str) -> str | None:
        return {"auto": "cuda", "cpu": None}.get(asked, asked)

    def start(asked: str) -> Accelerator:
        if fate == "fails":
            raise NoStart("no kernel image is available for execution on the device")
        if fate == "absent":
            raise NoStart("")
        if fate == "dies":
            os.kill(os.getpid(), 11)
        for owner, name, answer in accelerator.answer_as(cuda=True):
            setattr(owner, name, answer)
        torch.cuda.current_device = lambda: torch.device(asked).index or 0
        place, count = torch.device("cpu"), 1 + (fate == "two")
        return Accelerator(place=place, name=NAME, count=count, seed=torch.manual_seed)

    accelerator.hoped, accelerator.start = hoped, start
    zygote.main(control)
