import torch
from torch import Tensor


def _additive(t: int, window: int, like: Tensor) -> Tensor:
    reach = min(window, t - 1) if t > 1 else 1
    ones = torch.ones(t, t, dtype=like.dtype, device=like.device)
    return ones.tril().triu(1 - reach).log()


def window_attention(query: Tensor, key: Tensor, value: Tensor, window: int) -> Tensor:
    t, d = query.shape[-2], query.shape[-1]
    scores = torch.einsum("bhid,bhjd->bhij", query, key).mul(d**-0.5)
    scores = scores + _additive(t, window, scores)
    return torch.einsum("bhij,bhjd->bhid", torch.softmax(scores, dim=-1), value)
