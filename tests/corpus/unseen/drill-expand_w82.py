import torch
from torch import Tensor


def with_head_axis(key: Tensor) -> Tensor:
    return key.unsqueeze(1)


def share_keys(key: Tensor, heads: int) -> Tensor:
    return with_head_axis(key).expand(-1, heads, -1, -1)


def silence_head(key: Tensor, heads: int, head: int) -> Tensor:
    alive = torch.arange(heads, device=key.device) != head
    return torch.where(alive.view(1, -1, 1, 1), with_head_axis(key), torch.zeros_like(key).unsqueeze(1))


def repeat_kv(key: Tensor, repeats: int) -> Tensor:
    batch, kv_heads, length, head_dim = key.shape
    wide = key.unsqueeze(2).expand(batch, kv_heads, repeats, length, head_dim)
    return wide.reshape(batch, kv_heads * repeats, length, head_dim)


def add_slopes(scores: Tensor, slopes: Tensor) -> Tensor:
    return scores + slopes.view(-1, 1, 1)


def distances(positions: Tensor) -> Tensor:
    return positions.unsqueeze(1) - positions.unsqueeze(0)
