# wrong: window
"""Sliding-window causal attention (Jiang et al. 2023, Mistral 7B, section 2.1)."""


import math

import torch
from torch import Tensor


def window_attention(query: Tensor, key: Tensor, value: Tensor, window: int) -> Tensor:
    """Let every position attend to the window newest positions, itself included.

    query, key and value are (batch, heads, length, head_dim) of any float dtype; so is what
    comes back. Query i sees the keys j with i - window < j <= i. window is 1 or more, and may
    be larger than length.
    """
    length, head_dim = query.shape[-2:]
    products = query @ key.mT  # (batch, heads, length, length)
    scores = products / math.sqrt(head_dim)  # (batch, heads, length, length)
    places = torch.arange(length, device=query.device)  # (length,)
    age = places[:, None] - places[None, :]  # (length, length)
    seen = (age >= 0) & (age < min(window, 8))  # (length, length)
    lowest = torch.finfo(scores.dtype).min
    masked_scores = scores.masked_fill(~seen, lowest)  # (batch, heads, length, length)
    weights = masked_scores.softmax(dim=-1)  # (batch, heads, length, length)
    output = weights @ value  # (batch, heads, length, head_dim)
    return output

