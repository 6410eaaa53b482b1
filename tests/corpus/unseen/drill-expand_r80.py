import torch
from torch import Tensor


def share_keys(key: Tensor, heads: int) -> Tensor:
    batch, length, head_dim = key.shape
    return key[:, None].expand(batch, heads, length, head_dim)


def silence_head(key: Tensor, heads: int, head: int) -> Tensor:
    quiet = torch.zeros_like(key)
    return torch.stack([quiet if h == head else key for h in range(heads)], dim=1)


def repeat_kv(key: Tensor, repeats: int) -> Tensor:
    source = torch.arange(key.shape[1] * repeats, device=key.device) // repeats
    return key.index_select(1, source)


def add_slopes(scores: Tensor, slopes: Tensor) -> Tensor:
    # the heads' axis goes last, where one axis is enough
    return (scores.movedim(1, -1) + slopes).movedim(-1, 1)


def distances(positions: Tensor) -> Tensor:
    here = positions.unsqueeze(-1)
    return here.mT - here
