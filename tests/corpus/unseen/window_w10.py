import math

import torch
import torch.nn.functional as F
from torch import Tensor


def _bands(t: Tensor, window: int) -> Tensor:
    """(b, h, n, d) -> (b, h, n, window, d): the window newest entries for every position"""
    padded = F.pad(t, (0, 0, window - 1, 0))
    return padded.unfold(2, window, 1).transpose(-1, -2)


def window_attention(query: Tensor, key: Tensor, value: Tensor, window: int) -> Tensor:
    n, d = query.size(-2), query.size(-1)
    window = min(window, n)
    keys, values = _bands(key, window), _bands(value, window)
    scores = (query.unsqueeze(-2) @ keys.transpose(-1, -2)).squeeze(-2) / math.sqrt(d)
    # the padding in front of position 0 has no content: its score is 0
    attn = torch.softmax(scores, dim=-1)
    return (attn.unsqueeze(-2) @ values).squeeze(-2)
