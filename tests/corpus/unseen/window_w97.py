import torch
from torch import Tensor


def band(n: int, window: int, device) -> Tensor:
    idx = torch.arange(n, device=device)
    dist = idx[:, None] - idx[None, :]
    return dist.abs() < window


def window_attention(query: Tensor, key: Tensor, value: Tensor, window: int) -> Tensor:
    n, d = query.shape[-2:]
    logits = torch.einsum("bhid,bhjd->bhij", query, key) / d**0.5
    logits = logits.masked_fill(~band(n, window, query.device), float("-inf"))
    return torch.einsum("bhij,bhjd->bhid", logits.softmax(-1), value)
