from __future__ import annotations

import torch as t


def share_keys(key: t.Tensor, heads: int) -> t.Tensor:
    return t.broadcast_to(key[:, None], (key.size(0), heads, *key.shape[1:]))


def silence_head(key: t.Tensor, heads: int, head: int) -> t.Tensor:
    quiet = t.zeros_like(key)
    return t.stack([quiet if h == head else key for h in range(heads)], dim=1)


def repeat_kv(key: t.Tensor, repeats: int) -> t.Tensor:
    out = []
    for kv in key.unbind(1):
        out += [kv] * repeats
    return t.stack(out, 1)


def add_slopes(scores: t.Tensor, slopes: t.Tensor) -> t.Tensor:
    b, h, q, k = scores.shape
    flat = scores.reshape(b, h, q * k)
    return t.add(flat, slopes.reshape(h, 1)).reshape(b, h, q, k)


def distances(positions: t.Tensor) -> t.Tensor:
    rows, columns = t.meshgrid(positions, positions, indexing="ij")
    return columns.sub(rows)
