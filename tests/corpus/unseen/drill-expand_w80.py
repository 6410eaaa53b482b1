import torch
from torch import Tensor


def share_keys(key: Tensor, heads: int) -> Tensor:
    return key.unsqueeze(1).expand(-1, heads, -1, -1)


def silence_head(key: Tensor, heads: int, head: int) -> Tensor:
    copies = share_keys(key, heads).clone()
    copies[:, head].zero_()
    return copies


def repeat_kv(key: Tensor, repeats: int) -> Tensor:
    """same as llama's repeat_kv"""
    if repeats == 1:
        return key
    bs, n_kv, slen, hd = key.shape
    expanded = key[:, None, :, :, :].expand(bs, repeats, n_kv, slen, hd)
    return expanded.reshape(bs, n_kv * repeats, slen, hd)


def add_slopes(scores: Tensor, slopes: Tensor) -> Tensor:
    return scores + slopes.reshape(1, -1, 1, 1)


def distances(positions: Tensor) -> Tensor:
    return positions[None, :] - positions[:, None]
