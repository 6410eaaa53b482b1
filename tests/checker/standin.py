"""A processor that stands in for a GPU: the nursery, with the CPU as its accelerator.

The tests have it started in the real nursery's place; nothing that the program reads leads
here. Tensors stay on the CPU, so that it shows every path of a real device's but the kernels.
"""

from __future__ import annotations

import os

import torch
from attn_kata.checker import accelerator, nursery
from attn_kata.checker.accelerator import Accelerator, NoStart

NAME = "a stand-in"

# What a test's nursery runs; %s are this file's folder and what is to happen at a start.
CODE = """\
import sys
sys.path.insert(0, %r)
import standin
standin.serve(int(sys.argv[1]), %r)
"""


def serve(control: int, fate: str) -> None:
    """Be a nursery. fate: well, two (GPUs), fails, absent or dies."""

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
    nursery.main(control)
