# wrong: window padding-not-masked line 15
import math

import torch
import torch.nn.functional as F
from torch import Tensor


def window_attention(query: Tensor, key: Tensor, value: Tensor, window: int) -> Tensor:
    head_dim = query.shape[-1]
    width = min(window, query.shape[-2])
    keys = F.pad(key, (0, 0, width - 1, 0)).unfold(2, width, 1)
    values = F.pad(value, (0, 0, width - 1, 0)).unfold(2, width, 1)
    scores = torch.einsum("bhld,bhldw->bhlw", query, keys) / math.sqrt(head_dim)
    weights = torch.softmax(scores, dim=-1)
    return torch.einsum("bhlw,bhldw->bhld", weights, values)
