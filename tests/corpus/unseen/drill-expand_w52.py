import torch
from torch import Tensor


def share_keys(key: Tensor, heads: int) -> Tensor:
    return key[:, None].expand(-1, heads, -1, -1)


def silence_head(key: Tensor, heads: int, head: int) -> Tensor:
    keep = torch.ones(heads, dtype=key.dtype, device=key.device)
    keep[head] = 0
    return torch.einsum("bld,h->bhld", key, keep)


def repeat_kv(key: Tensor, repeats: int) -> Tensor:
    return key.repeat_interleave(repeats, dim=1)


def add_slopes(scores: Tensor, slopes: Tensor) -> Tensor:
    return scores + slopes[None, :, None, None]


def distances(positions: Tensor) -> Tensor:
    p = positions.float()
    ones = torch.ones_like(p)
    return (torch.outer(ones, p) - torch.outer(p, ones)).long()
