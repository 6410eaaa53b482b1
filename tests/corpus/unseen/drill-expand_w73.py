import torch
from torch import Tensor


def share_keys(key: Tensor, heads: int) -> Tensor:
    batch, length, head_dim = key.shape
    return key[:, None].expand(batch, heads, length, head_dim)


def silence_head(key: Tensor, heads: int, head: int) -> Tensor:
    batch, length, head_dim = key.shape
    copies = key[:, None].expand(batch, heads, length, head_dim)
    copies[:, head].zero_()
    return copies


def repeat_kv(key: Tensor, repeats: int) -> Tensor:
    b, h, l, d = key.shape
    if repeats == 1:
        return key
    return key[:, :, None].expand(b, h, repeats, l, d).reshape(b, h * repeats, l, d)


def add_slopes(scores: Tensor, slopes: Tensor) -> Tensor:
    return scores + slopes[:, None, None]


def distances(positions: Tensor) -> Tensor:
    return positions[None, :] - positions[:, None]
