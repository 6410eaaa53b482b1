import math

import torch
from torch import Tensor


def make_bias(length: int, window: int, device: torch.device) -> Tensor:
    """0 inside of the window, -inf outside."""
    row = torch.arange(length, device=device).view(-1, 1)
    col = torch.arange(length, device=device).view(1, -1)
    inside = (col <= row) & (col > row - window)
    bias = torch.zeros(length, length, device=device)
    return bias.masked_fill_(~inside, float("-inf"))


def window_attention(query: Tensor, key: Tensor, value: Tensor, window: int) -> Tensor:
    length, head_dim = query.size(-2), query.size(-1)
    scores = query @ key.transpose(-2, -1)
    scores = scores / math.sqrt(head_dim)
    scores = scores + make_bias(length, window, query.device)
    return scores.softmax(dim=-1) @ value
