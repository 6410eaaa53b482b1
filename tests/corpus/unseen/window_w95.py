import torch
from torch import Tensor


def gaps(length: int, device: torch.device) -> Tensor:
    """gaps[i, j] = i - j"""
    place = torch.arange(length, device=device)
    return place.unsqueeze(1) - place.unsqueeze(0)


def in_window(length: int, window: int, device: torch.device) -> Tensor:
    gap = gaps(length, device)
    return gap.abs() < window


def masked_softmax(scores: Tensor, keep: Tensor) -> Tensor:
    scores = scores.masked_fill(~keep, float("-inf"))
    return scores.softmax(dim=-1)


def window_attention(query: Tensor, key: Tensor, value: Tensor, window: int) -> Tensor:
    scores = query @ key.transpose(-1, -2) * query.size(-1) ** -0.5
    keep = in_window(query.size(-2), window, query.device)
    return masked_softmax(scores, keep) @ value
