import math
import torch
from torch import Tensor


def band(length: int, window: int, device: torch.device) -> Tensor:
    pos = torch.arange(length, device=device)
    distance = pos[:, None] - pos[None, :]
    return (distance >= 0) & (distance <= window)


def masked_softmax(scores: Tensor, allowed: Tensor) -> Tensor:
    return scores.masked_fill(~allowed, float("-inf")).softmax(dim=-1)


def window_attention(query: Tensor, key: Tensor, value: Tensor, window: int) -> Tensor:
    length, head_dim = query.shape[-2:]
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(head_dim)
    weights = masked_softmax(scores, band(length, window, query.device))
    return torch.matmul(weights, value)
