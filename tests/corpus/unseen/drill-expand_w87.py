from __future__ import annotations

import torch
from torch import Tensor


def share_keys(key: Tensor, heads: int) -> Tensor:
    return key.unsqueeze(1).expand(-1, heads, -1, -1)


def silence_head(key: Tensor, heads: int, head: int) -> Tensor:
    own = share_keys(key, heads).contiguous()
    muted = torch.arange(heads, device=key.device) == head
    return own.masked_fill(muted[:, None, None], 0)


def repeat_kv(key: Tensor, repeats: int) -> Tensor:
    b, h, n, d = key.shape
    return key[:, :, None].expand(b, h, repeats, n, d).reshape(b, h * repeats, n, d)


def add_slopes(scores: Tensor, slopes: Tensor) -> Tensor:
    return scores + slopes[:, None, None]


def distances(positions: Tensor) -> Tensor:
    place = positions.float()
    gap = place[None, :] - place[:, None]
    return gap.round().long()
