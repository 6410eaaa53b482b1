# wrong: gated-linear decay-overflows line 26
from __future__ import annotations

import torch
from torch import Tensor


def gated_step(
    query: Tensor, key: Tensor, value: Tensor, gate: Tensor, state: Tensor
) -> tuple[Tensor, Tensor]:
    fade = torch.sigmoid(gate) ** (1 / 16)
    new_state = torch.einsum("bh,bhde->bhde", fade, state) + torch.einsum("bhd,bhe->bhde", key, value)
    return torch.einsum("bhd,bhde->bhe", query, new_state), new_state


def gated_linear_attention(
    query: Tensor, key: Tensor, value: Tensor, gate: Tensor, state: Tensor, chunk_size: int
) -> tuple[Tensor, Tensor]:
    wide = torch.promote_types(query.dtype, torch.float32)
    out_dtype = query.dtype
    query, key, value, gate, carry = (t.to(wide) for t in (query, key, value, gate, state))

    rows = []
    pieces = zip(*(t.split(chunk_size, dim=2) for t in (query, key, value, gate)))
    for q, k, v, g in pieces:
        total = torch.cumsum(torch.sigmoid(g).log() / 16, dim=-1)
        span = total.unsqueeze(-1) - total.unsqueeze(-2)
        ahead = torch.ones(span.shape[-2:], dtype=torch.bool, device=span.device).triu(1)
        weight = torch.exp(span.masked_fill(ahead, -torch.inf))
        inside = torch.einsum("bhid,bhjd,bhij->bhij", q, k, weight)
        rows.append(torch.einsum("bhij,bhje->bhie", inside, v) + torch.einsum("bhi,bhid,bhde->bhie", total.exp(), q, carry))
        last = total[..., -1:]
        carry = last.exp().unsqueeze(-1) * carry + torch.einsum("bhj,bhjd,bhje->bhde", (last - total).exp(), k, v)
    return torch.cat(rows, dim=2).to(out_dtype), carry.to(out_dtype)
