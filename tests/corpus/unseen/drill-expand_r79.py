import torch
from torch import Tensor


def share_keys(key: Tensor, heads: int) -> Tensor:
    batch, length, dim = key.shape
    s0, s1, s2 = key.stride()
    return key.as_strided((batch, heads, length, dim), (s0, 0, s1, s2), key.storage_offset())


def silence_head(key: Tensor, heads: int, head: int) -> Tensor:
    zero = torch.zeros_like(key)
    return torch.stack([zero if h == head else key for h in range(heads)], dim=1)


def repeat_kv(key: Tensor, repeats: int) -> Tensor:
    heads = torch.arange(key.shape[1] * repeats, device=key.device)
    return key.index_select(1, heads // repeats)


def add_slopes(scores: Tensor, slopes: Tensor) -> Tensor:
    # broadcasting matches from the right, so let the heads be the last axis for a moment
    return (scores.movedim(1, -1) + slopes).movedim(-1, 1)


def distances(positions: Tensor) -> Tensor:
    n = positions.numel()
    rows, cols = torch.meshgrid(positions, positions, indexing="ij")
    assert rows.shape == (n, n)
    return cols - rows
