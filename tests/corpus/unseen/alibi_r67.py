# attn-kata: alibi
# Positions are plain integers until the very last multiply; no float arange anywhere.
from __future__ import annotations

import torch
from torch import Tensor


def _geometric(n: int) -> list[float]:
    """n must be a power of two. ratio == first term."""
    assert n > 0 and n & (n - 1) == 0
    ratio = 2.0 ** (-8.0 / n)
    acc, out = 1.0, []
    for _ in range(n):
        acc *= ratio
        out.append(acc)
    return out


def slopes(heads: int) -> Tensor:
    pow2 = 1 << (heads.bit_length() - 1)
    table = _geometric(pow2)
    missing = heads - pow2
    if missing:
        nxt = _geometric(pow2 << 1)
        table.extend(nxt[2 * i] for i in range(missing))
    return torch.tensor(table, dtype=torch.float64)


def _fill_bias(out: Tensor, slope: Tensor) -> Tensor:
    heads, rows, cols = out.shape
    first = cols - rows
    key_idx = torch.arange(cols, device=out.device)
    for r in range(rows):
        dist = (first + r) - key_idx
        row = dist.to(out.dtype)[None, :] * slope[:, None]
        out[:, r, :] = torch.where(dist[None, :] >= 0, -row, out.new_full((), float("-inf")))
    return out


def bias(heads: int, query_length: int, key_length: int) -> Tensor:
    assert query_length <= key_length
    buf = torch.empty(heads, query_length, key_length, dtype=torch.float64)
    return _fill_bias(buf, slopes(heads))


def attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    b, h, tq, d = query.shape
    tk, dv = key.size(2), value.size(3)
    wide = torch.float64 if query.dtype == torch.float64 else torch.float32
    add = bias(h, tq, tk).to(device=query.device, dtype=wide)

    q3 = query.reshape(b * h, tq, d).to(wide)
    k3 = key.reshape(b * h, tk, d).to(wide)
    v3 = value.reshape(b * h, tk, dv).to(wide)
    add3 = add.unsqueeze(0).expand(b, -1, -1, -1).reshape(b * h, tq, tk)
    s = torch.baddbmm(add3, q3, k3.transpose(1, 2), beta=1.0, alpha=d**-0.5)
    s = s - s.amax(dim=-1, keepdim=True).detach()
    e = s.exp()
    o = torch.bmm(e / e.sum(-1, keepdim=True), v3)
    return o.view(b, h, tq, dv).to(query.dtype)
