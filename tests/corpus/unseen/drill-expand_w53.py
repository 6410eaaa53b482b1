import torch
from torch import Tensor


def share_keys(key: Tensor, heads: int) -> Tensor:
    return torch.broadcast_to(key.unsqueeze(1), (key.size(0), heads, key.size(1), key.size(2)))


def silence_head(key: Tensor, heads: int, head: int) -> Tensor:
    """Copy first, so that key stays as it was."""
    copies = share_keys(key, heads).clone()
    copies.data[:, head] = 0
    return copies


def repeat_kv(key: Tensor, repeats: int) -> Tensor:
    return key.unsqueeze(2).expand(-1, -1, repeats, -1, -1).flatten(1, 2)


def add_slopes(scores: Tensor, slopes: Tensor) -> Tensor:
    return torch.add(scores, slopes.unsqueeze(-1).unsqueeze(-1))


def distances(positions: Tensor) -> Tensor:
    n = positions.numel()
    columns = positions.repeat(n, 1)
    return columns - columns.t()
