# wrong: window nondeterministic line 20
# fair: nondeterministic 16, 20
from functools import lru_cache

import torch
from torch import Tensor


class SlidingWindow:
    """Callable attention; keeps the additive masks it has made."""

    def __init__(self):
        self.masks: dict = {}

    def mask(self, n: int, w: int, like: Tensor) -> Tensor:
        key = (n, like.device, like.dtype)
        if key not in self.masks:
            ones = torch.ones(n, n, dtype=torch.bool, device=like.device)
            keep = ones.tril() & ones.triu(-(w - 1))
            self.masks[key] = torch.zeros(n, n, device=like.device, dtype=like.dtype).masked_fill_(~keep, float("-inf"))
        return self.masks[key]

    def __call__(self, q: Tensor, k: Tensor, v: Tensor, w: int) -> Tensor:
        scale = q.size(-1) ** -0.5
        attn = (q * scale) @ k.transpose(-2, -1) + self.mask(q.size(-2), w, q)
        return attn.softmax(dim=-1) @ v


_attend = SlidingWindow()


def window_attention(query: Tensor, key: Tensor, value: Tensor, window: int) -> Tensor:
    return _attend(query, key, value, window)
