# attn-kata: drill-expand
import torch
from torch import Tensor


def share_keys(key: Tensor, heads: int) -> Tensor:
    return key.unsqueeze(1).expand(-1, heads, -1, -1)


def silence_head(key: Tensor, heads: int, head: int) -> Tensor:
    out = share_keys(key, heads).clone(memory_format=torch.contiguous_format)
    out[:, head].zero_()
    return out


def repeat_kv(key: Tensor, repeats: int) -> Tensor:
    """as in transformers: (b, n_kv, t, d) -> (b, n_kv * n_rep, t, d)"""
    b, n_kv, t, d = key.shape
    if repeats == 1:
        return key
    key = key[:, None, :, :, :].expand(b, repeats, n_kv, t, d)
    return key.reshape(b, n_kv * repeats, t, d)


def add_slopes(scores: Tensor, slopes: Tensor) -> Tensor:
    return scores + slopes[:, None, None]


def distances(positions: Tensor) -> Tensor:
    return positions[None, :] - positions[:, None]
