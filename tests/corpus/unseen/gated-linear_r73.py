# attn-kata: gated-linear
import torch
from torch.nn import functional


def log_keep(gate):
    wide = torch.promote_types(gate.dtype, torch.float32)
    return functional.logsigmoid(gate.to(wide)) / 16


def gated_step(query, key, value, gate, state):
    a = log_keep(gate).exp().to(state.dtype)[..., None, None]
    new_state = a * state + torch.einsum("bhd,bhe->bhde", key, value)
    return torch.einsum("bhde,bhd->bhe", new_state, query), new_state


def gated_linear_attention(query, key, value, gate, state, chunk_size):
    wide = torch.promote_types(query.dtype, torch.float32)
    logs = log_keep(gate).to(wide)
    S = state.to(wide)
    rows = []
    for q, k, v, g in zip(*(t.to(wide).split(chunk_size, dim=2) for t in (query, key, value, logs))):
        c = g.cumsum(-1)
        n = c.shape[-1]
        ahead = torch.ones(n, n, dtype=torch.bool, device=c.device).triu(1)
        gap = (c[..., :, None] - c[..., None, :]).masked_fill(ahead, -torch.inf)
        inner = (q @ k.mT * gap.exp()) @ v
        rows.append(c.exp()[..., None] * (q @ S) + inner)
        last = c[..., -1:]
        S = last.exp()[..., None] * S + (k * (last - c).exp()[..., None]).mT @ v
    return torch.cat(rows, 2).to(query.dtype), S.to(query.dtype)
