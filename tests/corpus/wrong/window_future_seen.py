# wrong: window causal-missing line 10
# fair: causal-missing 10, 11
import torch
from torch import Tensor


def window_attention(query: Tensor, key: Tensor, value: Tensor, window: int) -> Tensor:
    length, dim = query.shape[-2], query.shape[-1]
    scores = (query @ key.transpose(-1, -2)) / dim**0.5
    old = torch.ones(length, length, dtype=torch.bool, device=query.device).tril(-window)
    hidden = scores.masked_fill(old, torch.finfo(scores.dtype).min)
    weights = torch.softmax(hidden, dim=-1)
    return weights @ value
