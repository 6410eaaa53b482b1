# wrong: window window-too-wide line 11
import math
import torch
from torch import Tensor


def window_attention(query: Tensor, key: Tensor, value: Tensor, window: int) -> Tensor:
    length, head_dim = query.size(2), query.size(3)
    rows = []
    for t in range(length):
        lo = max(0, t - window)
        k, v = key[:, :, lo:t + 1], value[:, :, lo:t + 1]
        s = (query[:, :, t:t + 1] * k).sum(-1) / math.sqrt(head_dim)
        w = torch.softmax(s, dim=-1)
        rows.append((w.unsqueeze(-1) * v).sum(dim=2))
    return torch.stack(rows, dim=2)
