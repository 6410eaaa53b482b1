# attn-kata: window
import math

import torch
import torch.nn.functional as F
from torch import Tensor


def window_attention(query: Tensor, key: Tensor, value: Tensor, window: int) -> Tensor:
    length, head_dim = query.shape[-2:]
    window = min(window, length)

    # (b, h, length + window - 1, d) -> (b, h, length, d, window)
    bands = [F.pad(t, (0, 0, window - 1, 0)).unfold(2, window, 1) for t in (key, value)]
    scores = torch.einsum("bhid,bhidw->bhiw", query, bands[0]) / math.sqrt(head_dim)
    weights = torch.softmax(scores, dim=-1)
    return torch.einsum("bhiw,bhidw->bhid", weights, bands[1])
