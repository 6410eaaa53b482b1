from __future__ import annotations

import torch
from torch import Tensor


class SlidingWindow:
    def __init__(self, length: int, window: int, device: torch.device):
        self.window = max(1, min(window, length - 1))
        self.ones = torch.ones(length, length, dtype=torch.bool, device=device)

    def visible(self) -> Tensor:
        return self.ones.tril().triu(1 - self.window)

    def hide(self, scores: Tensor) -> Tensor:
        return torch.where(self.visible(), scores, torch.finfo(scores.dtype).min)


def window_attention(query: Tensor, key: Tensor, value: Tensor, window: int) -> Tensor:
    root = query.shape[-1] ** 0.5
    band = SlidingWindow(query.shape[-2], window, query.device)
    scores = band.hide((query / root).matmul(key.mT))
    weights = torch.exp(scores - scores.max(dim=-1, keepdim=True).values)
    weights = weights / weights.sum(dim=-1, keepdim=True)
    return weights.matmul(value)
