import torch
from torch import Tensor


def share_keys(key: Tensor, heads: int) -> Tensor:
    k = key[:, None]
    return k.expand(k.shape[0], heads, *k.shape[2:])


def silence_head(key: Tensor, heads: int, head: int) -> Tensor:
    keep = torch.ones(heads, dtype=key.dtype, device=key.device)
    keep[head] = 0
    return key[:, None] * keep[None, :, None, None]


def repeat_kv(key: Tensor, repeats: int) -> Tensor:
    parts = []
    for h in range(key.shape[1]):
        one = key[:, h : h + 1]
        parts += [one] * repeats
    return torch.cat(parts, dim=1)


def add_slopes(scores: Tensor, slopes: Tensor) -> Tensor:
    s = torch.tensor(slopes, dtype=scores.dtype, device=scores.device)
    s = s[None, :, None, None]
    return scores + s


def distances(positions: Tensor) -> Tensor:
    n = positions.shape[0]
    rows = positions.repeat_interleave(n).reshape(n, n)
    cols = positions.repeat(n).reshape(n, n)
    return cols - rows
