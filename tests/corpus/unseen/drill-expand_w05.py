import torch
from torch import Tensor


def share_keys(key: Tensor, heads: int) -> Tensor:
    return key.unsqueeze(1).expand(key.size(0), heads, key.size(1), key.size(2))


def silence_head(key: Tensor, heads: int, head: int) -> Tensor:
    keep = torch.ones(heads, dtype=key.dtype, device=key.device)
    keep[head] = 0
    return torch.einsum("bld,h->bhld", key, keep).contiguous()


def repeat_kv(key: Tensor, repeats: int) -> Tensor:
    return torch.stack([key] * repeats, dim=2).flatten(1, 2)


def add_slopes(scores: Tensor, slopes: Tensor) -> Tensor:
    return slopes.unsqueeze(-1).unsqueeze(-1) + scores


def distances(positions: Tensor) -> Tensor:
    p = positions.to(torch.get_default_dtype())
    ones = torch.ones_like(p)
    return (torch.outer(ones, p) - torch.outer(p, ones)).round().long()
