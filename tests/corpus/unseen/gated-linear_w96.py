import torch
from torch.nn.functional import logsigmoid


def gated_step(query, key, value, gate, state):
    a = torch.exp(logsigmoid(gate) / 16)[..., None, None]
    state = a * state + key[..., :, None] * value[..., None, :]
    return torch.einsum("bhd,bhdv->bhv", query, state), state


def gated_linear_attention(query, key, value, gate, state, chunk_size):
    dt = torch.promote_types(query.dtype, torch.float32)
    query, key, value, gate, state = (t.to(dt) for t in (query, key, value, gate, state))
    out = []
    for q, k, v, g in zip(*(t.split(chunk_size, dim=2) for t in (query, key, value, gate))):
        c = (logsigmoid(g) / 16).cumsum(-1)
        total = c[..., -1:]
        n = c.shape[-1]
        diff = c[..., :, None] - c[..., None, :]
        diff = diff.masked_fill(torch.ones(n, n, dtype=torch.bool, device=c.device).triu(1), float("-inf"))
        inner = (q @ k.mT * diff.exp()) @ v
        outer = (q * c.exp()[..., None]) @ state
        out.append(inner + outer)
        faded = k * torch.exp(c)[..., None]
        state = total.exp()[..., None] * state + faded.mT @ v
    return torch.cat(out, dim=2), state
