import torch
from torch import Tensor


def share_keys(key: Tensor, heads: int) -> Tensor:
    return key.unsqueeze(1).expand(key.shape[0], heads, *key.shape[1:])


def silence_head(key: Tensor, heads: int, head: int) -> Tensor:
    mask = torch.arange(heads, device=key.device) == head
    many = key.unsqueeze(1).repeat_interleave(heads, dim=1)
    return many.masked_fill(mask.view(1, heads, 1, 1), 0.0)


def repeat_kv(key: Tensor, repeats: int) -> Tensor:
    return torch.repeat_interleave(key, repeats, dim=1)


def add_slopes(scores: Tensor, slopes: Tensor) -> Tensor:
    return torch.add(scores, slopes.reshape(1, slopes.numel(), 1, 1))


def distances(positions: Tensor) -> Tensor:
    n = positions.shape[0]
    return positions.view(n, 1) - positions.view(1, n)
