# right: drill-expand
import torch
from torch import Tensor


def share_keys(key: Tensor, heads: int) -> Tensor:
    return key.expand(heads, *key.shape).transpose(0, 1)


def silence_head(key: Tensor, heads: int, head: int) -> Tensor:
    keep = torch.ones(heads, dtype=key.dtype, device=key.device)
    keep[head] = 0
    return torch.einsum("btd,h->bhtd", key, keep)


def repeat_kv(key: Tensor, repeats: int) -> Tensor:
    ones = torch.ones(repeats, dtype=key.dtype, device=key.device)
    b, g, t, d = key.shape
    return torch.einsum("bgtd,r->bgrtd", key, ones).reshape(b, g * repeats, t, d)


def add_slopes(scores: Tensor, slopes: Tensor) -> Tensor:
    return (scores.permute(0, 2, 3, 1) + slopes).permute(0, 3, 1, 2)


def distances(positions: Tensor) -> Tensor:
    return -(positions[:, None] - positions[None, :])
