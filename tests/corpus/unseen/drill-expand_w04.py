# attn-kata: drill-expand
from __future__ import annotations

import torch
from torch import Tensor


# expand 不复制内存，repeat 复制内存
def share_keys(key: Tensor, heads: int) -> Tensor:
    return key.unsqueeze(1).expand(-1, heads, -1, -1)


def silence_head(key: Tensor, heads: int, head: int) -> Tensor:
    out = key.unsqueeze(1).repeat(1, heads, 1, 1)      # 每个头一份拷贝
    out[:, head, :, :] = 0
    return out


def repeat_kv(key: Tensor, repeats: int) -> Tensor:
    kv_heads = key.size(1)
    index = torch.arange(kv_heads * repeats, device=key.device) // kv_heads   # 每个头对应的 kv 头
    return key[:, index]


def add_slopes(scores: Tensor, slopes: Tensor) -> Tensor:
    return scores + slopes.view(1, -1, 1, 1)           # (1, h, 1, 1)


def distances(positions: Tensor) -> Tensor:
    i = positions.unsqueeze(1)                         # query
    j = positions.unsqueeze(0)                         # key
    return j - i
