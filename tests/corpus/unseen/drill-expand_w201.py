from __future__ import annotations

import torch
from torch import Tensor


def share_keys(key: Tensor, heads: int) -> Tensor:
    B, T, D = key.shape
    return torch.broadcast_to(key[:, None], (B, heads, T, D))


def silence_head(key: Tensor, heads: int, head: int) -> Tensor:
    """k_{bhtd} -> (1 - delta_{h,head}) k_{btd}"""
    out = key[:, None].repeat(1, heads, 1, 1)
    out[:, head].zero_()
    return out


def repeat_kv(key: Tensor, repeats: int) -> Tensor:
    return torch.cat([key[:, g : g + 1] for g in range(key.shape[1]) for _ in range(repeats)], dim=1)


def add_slopes(scores: Tensor, slopes: Tensor) -> Tensor:
    return torch.add(scores, slopes[None, :, None, None])


def distances(positions: Tensor) -> Tensor:
    # x_q and x_k on the whole plane, as one does in numpy
    x_q, x_k = torch.meshgrid(positions, positions, indexing="xy")
    return x_k - x_q
