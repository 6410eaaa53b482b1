from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional


def _log_decay(gate: Tensor) -> Tensor:
    # float64: 负得很大的 log 相减时不丢精度
    return functional.logsigmoid(gate.double()) / 16


def _wide(*tensors: Tensor) -> list[Tensor]:
    return [t.to(torch.promote_types(t.dtype, torch.float32)) for t in tensors]


def gated_step(
    query: Tensor, key: Tensor, value: Tensor, gate: Tensor, state: Tensor
) -> tuple[Tensor, Tensor]:
    q, k, v, s = _wide(query, key, value, state)
    kept = _log_decay(gate).exp().to(s.dtype)[..., None, None]
    s = torch.addcmul(k.unsqueeze(-1) * v.unsqueeze(-2), kept, s)
    row = torch.einsum("bhdv,bhd->bhv", s, q)
    return row.to(query.dtype), s.to(query.dtype)


def _one_chunk(q: Tensor, k: Tensor, v: Tensor, log_a: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
    n = q.shape[2]
    c = log_a.cumsum(dim=-1)
    gaps = c.unsqueeze(-1) - c.unsqueeze(-2)
    ahead = torch.ones(n, n, dtype=torch.bool, device=q.device).triu(1)
    # 先挡住未来, 再取 exp
    fade = gaps.masked_fill(ahead, -torch.inf).exp().to(q.dtype)
    inside = (q @ k.mT * fade) @ v
    carried = c.exp().to(q.dtype).unsqueeze(-1) * (q @ state)
    left = fade[:, :, -1].unsqueeze(-1)  # 最后一行: 每个键到块末还剩多少
    new_state = c[..., -1].exp().to(q.dtype)[..., None, None] * state + (k * left).mT @ v
    return inside + carried, new_state


def gated_linear_attention(
    query: Tensor, key: Tensor, value: Tensor, gate: Tensor, state: Tensor, chunk_size: int
) -> tuple[Tensor, Tensor]:
    q, k, v, running = _wide(query, key, value, state)
    pieces = zip(*(t.split(chunk_size, dim=2) for t in (q, k, v, _log_decay(gate))))
    outputs = []
    for piece in pieces:
        out, running = _one_chunk(*piece, running)
        outputs.append(out)
    return torch.cat(outputs, dim=2).to(query.dtype), running.to(query.dtype)
