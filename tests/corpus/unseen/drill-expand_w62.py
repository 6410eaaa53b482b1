from __future__ import annotations

import torch
from torch import Tensor


# Aufgabe 3, Stunde 12: expand und repeat


def share_keys(key: Tensor, heads: int) -> Tensor:
    batch, length, head_dim = key.shape
    return key.view(batch, 1, length, head_dim).expand(batch, heads, length, head_dim)


def silence_head(key: Tensor, heads: int, head: int) -> Tensor:
    # erst echte Kopien, dann eine davon stumm schalten
    kopien = key.unsqueeze(1).repeat(1, heads, 1, 1)
    kopien[..., head, :] = 0.0
    return kopien


def repeat_kv(key: Tensor, repeats: int) -> Tensor:
    batch, kv_heads, length, head_dim = key.shape
    # 0 0 1 1 2 2
    breit = key[:, :, None].expand(batch, kv_heads, repeats, length, head_dim)
    return breit.reshape(batch, kv_heads * repeats, length, head_dim)


def add_slopes(scores: Tensor, slopes: Tensor) -> Tensor:
    return scores + slopes.view(-1, 1, 1)


def distances(positions: Tensor) -> Tensor:
    # Zeile i, Spalte j:  p[j] - p[i]
    return positions.unsqueeze(0) - positions.unsqueeze(1)
