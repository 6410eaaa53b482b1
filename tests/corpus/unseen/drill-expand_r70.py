# attn-kata: drill-expand
import torch
from torch import Tensor


def share_keys(key: Tensor, heads: int) -> Tensor:
    return key[:, None].broadcast_to(key.size(0), heads, *key.shape[1:])


def silence_head(key: Tensor, heads: int, head: int) -> Tensor:
    gate = torch.ones(heads, dtype=key.dtype, device=key.device)
    gate[head] = 0
    return key[:, None] * gate[:, None, None]


def repeat_kv(key: Tensor, repeats: int) -> Tensor:
    index = torch.arange(key.size(1) * repeats, device=key.device) // repeats
    return key.index_select(1, index)


def add_slopes(scores: Tensor, slopes: Tensor) -> Tensor:
    return scores + slopes.view(-1, 1, 1)


def distances(positions: Tensor) -> Tensor:
    n = positions.numel()
    return positions.view(1, n).sub(positions.view(n, 1))
