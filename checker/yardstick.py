"""What a submission is timed against: the model answer, and torch's fused kernel.

They run in a process of their own, forked from the judge's: the submission's has no model
answer in its memory, and torch's own attention taken away.
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from ..kata.catalogue import Kata
from . import fence, wire
from .plan import Size
from .stopwatch import Stopwatch, keep_memory
from .timings import OTHERS
from .truth import Truth

__all__ = ["Fused", "Yardstick", "others"]


class Fused(nn.Module):
    """The model answer's own projections, and one fused kernel where it has its steps.

    Takes what the model answer takes, and returns the same in eval mode, up to rounding.
    """

    def __init__(self, kata: Kata, answer: nn.Module, heads: int) -> None:
        super().__init__()
        self.answer = answer
        self.heads = heads
        self.causal = kata.contract.causal
        self.output = next((name for name, of in kata.layers.items() if of == "o"), None)
        self.inner = {name: of for name, of in kata.layers.items() if of != "o"}

    def forward(self, *inputs: Tensor, **masks: Tensor) -> Tensor:
        """Take one input or three, (batch, length, hidden_dim); return the first one's shape."""
        sources = dict(zip("qkv", inputs * 3 if len(inputs) == 1 else inputs, strict=True))
        split: dict[str, Tensor] = {}
        for name, roles in self.inner.items():
            projected = getattr(self.answer, name)(sources[roles[0]])
            for role, part in zip(roles, projected.chunk(len(roles), dim=-1), strict=True):
                split[role] = part.unflatten(-1, (self.heads, -1)).transpose(1, 2)
        context = F.scaled_dot_product_attention(
            split["q"], split["k"], split["v"], attn_mask=_shown(masks), is_causal=self.causal
        )
        merged = context.transpose(1, 2).flatten(2)
        return merged if self.output is None else getattr(self.answer, self.output)(merged)


def _shown(masks: dict[str, Tensor]) -> Tensor | None:
    """Return the mask, where there is one, over every head and as the kernel takes it."""
    for mask in masks.values():
        return (mask if mask.dim() == 4 else mask.unsqueeze(1)) != 0
    return None


def others(
    kata: Kata, size: Size, inputs: dict[str, Tensor], mask: Tensor | None, device: str
) -> dict[str, Callable[[], Tensor]]:
    """Return the model answer's call and the fused kernel's, on the same weights and inputs."""
    torch.manual_seed(0)
    held = {name: tensor.to(device) for name, tensor in inputs.items()}
    mask = mask if mask is None else mask.to(device)
    reference, fused = Truth(kata, size), Truth(kata, size)
    reference.module = reference.module.float().to(device)
    with torch.no_grad():
        for weight in reference.module.parameters():
            weight.normal_(std=size.hidden**-0.5)
    fused.module = Fused(kata, reference.module, size.heads)
    return dict(
        zip(OTHERS, (partial(truth.run, held, mask) for truth in (reference, fused)), strict=True)
    )


class Yardstick:
    """The process that times them: ask it, one request at a time."""

    def __init__(self, kata: Kata, device: str) -> None:
        self.channel, theirs = socket.socketpair()
        self.pid = os.fork()
        if self.pid == 0:
            try:
                _serve(theirs, kata, device)
            finally:
                os._exit(0)
        theirs.close()

    def ask(self, request: dict[str, Any], deadline: float) -> dict[str, Any]:
        """Send one request and return its answer. Raise Closed or TooLate where none comes."""
        wire.send(self.channel, request, deadline)
        return wire.receive(self.channel, deadline)

    def close(self) -> None:
        """End the process."""
        self.channel.close()
        with contextlib.suppress(OSError):
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)


def _serve(line: socket.socket, kata: Kata, device: str) -> None:
    """Time what is asked for, until the judge goes away."""
    fence.die_with(signal.SIGKILL)
    kept = line.fileno()
    # The judge's own lines end with the judge; and torch's profiler writes to standard error.
    os.closerange(3, kept)
    os.closerange(kept + 1, 4096)
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, sys.stdout.fileno())
    os.dup2(null, sys.stderr.fileno())
    keep_memory()
    watches: dict[str, Stopwatch] = {}
    while True:
        try:
            request = wire.receive(line)
        except wire.Closed:
            return
        if request["do"] == "prepare":
            calls = others(
                kata, Size(**request["size"]), request["inputs"], request["mask"], device
            )
            watches = {side: Stopwatch(call, device) for side, call in calls.items()}
            wire.send(line, {side: _prepared(watch) for side, watch in watches.items()})
        else:
            wire.send(line, {"seconds": watches[request["side"]].lap()})


def _prepared(watch: Stopwatch) -> dict[str, Any]:
    return {"seconds": watch.settle(), "bytes": watch.peak()[0]}
