# attn-kata: window
import math

import torch
from torch import Tensor


def distance(n: int, device: torch.device) -> Tensor:
    pos = torch.arange(n, device=device)
    return (pos[:, None] - pos[None, :]).abs()


def visible(n: int, window: int, device: torch.device) -> Tensor:
    back = distance(n, device)
    return (back >= 0) & (back < window)


def window_attention(query: Tensor, key: Tensor, value: Tensor, window: int) -> Tensor:
    n, d = query.shape[-2], query.shape[-1]
    scores = query @ key.transpose(-1, -2) / math.sqrt(d)
    ok = visible(n, window, query.device)
    scores = scores.masked_fill(~ok, torch.finfo(scores.dtype).min)
    return scores.softmax(dim=-1) @ value
