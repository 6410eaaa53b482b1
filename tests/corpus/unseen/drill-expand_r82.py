import torch
from torch import Tensor
from functools import reduce


def share_keys(key: Tensor, heads: int) -> Tensor:
    b, t, d = key.size()
    return torch.broadcast_to(key.view(b, 1, t, d) if key.is_contiguous() else key[:, None], (b, heads, t, d))


def silence_head(key: Tensor, heads: int, head: int) -> Tensor:
    # outer product with a row of ones and one zero; but 0 * inf would be NaN, so where instead
    silent = torch.arange(heads, device=key.device) == head
    return torch.where(silent[None, :, None, None], key.new_zeros(()), key.unsqueeze(1))


def repeat_kv(key: Tensor, repeats: int) -> Tensor:
    copies = reduce(lambda parts, head: parts + [head] * repeats, key.split(1, dim=1), [])
    return torch.cat(copies, dim=1)


def add_slopes(scores: Tensor, slopes: Tensor) -> Tensor:
    return torch.add(slopes.reshape(-1, 1, 1), scores)


def distances(positions: Tensor) -> Tensor:
    n = positions.numel()
    wide = positions.expand(n, n)
    return wide - wide.T
