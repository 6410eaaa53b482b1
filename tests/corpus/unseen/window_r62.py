from __future__ import annotations

import torch
import torch.nn as nn
from torch import Tensor


class BandMixin:
    """Keeps the logarithm of a 0/1 band (0 inside, -inf outside), built when it is first needed."""

    band: Tensor

    def log_band(self, n: int, like: Tensor) -> Tensor:
        if self.band.size(0) < n or self.band.device != like.device:
            ones = torch.ones(n, n, device=like.device)
            self.band = ones.tril().triu(diagonal=1 - self.window).log()
        return self.band[:n, :n].to(like.dtype)


class SlidingWindow(BandMixin, nn.Module):
    def __init__(self, window: int):
        super().__init__()
        self.window = window
        self.register_buffer("band", torch.empty(0, 0), persistent=False)

    def forward(self, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        lead = q.shape[:-2]
        q, k, v = (t.flatten(0, -3) for t in (q, k, v))
        logits = torch.bmm(q, k.transpose(-2, -1)) / q.size(-1) ** 0.5
        logits = logits + self.log_band(q.size(1), logits)
        probs = nn.functional.softmax(logits, dim=-1, dtype=torch.promote_types(q.dtype, torch.float32))
        return torch.bmm(probs.type_as(v), v).unflatten(0, lead)


_layers: dict[int, SlidingWindow] = {}


def window_attention(query: Tensor, key: Tensor, value: Tensor, window: int) -> Tensor:
    return _layers.setdefault(window, SlidingWindow(window))(query, key, value)
