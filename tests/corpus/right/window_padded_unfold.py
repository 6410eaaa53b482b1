# right: window
import math

import torch
import torch.nn.functional as F
from torch import Tensor


def window_attention(query: Tensor, key: Tensor, value: Tensor, window: int) -> Tensor:
    length, head_dim = query.shape[-2:]
    width = min(window, length)

    # (batch, heads, length, head_dim, width): the last one of each window is the own position
    keys = F.pad(key, (0, 0, width - 1, 0)).unfold(2, width, 1)
    values = F.pad(value, (0, 0, width - 1, 0)).unfold(2, width, 1)

    scores = torch.einsum("bhld,bhldw->bhlw", query, keys) / math.sqrt(head_dim)
    slot = torch.arange(width, device=query.device)
    position = torch.arange(length, device=query.device)[:, None]
    exists = position - (width - 1) + slot >= 0  # not in the padding
    scores = torch.where(exists, scores, float("-inf"))
    return torch.einsum("bhlw,bhldw->bhld", torch.softmax(scores, dim=-1), values)
