import torch
from torch.nn import functional as F
from einops import rearrange, einsum


def cdiv(a, b):
    return (a + b - 1) // b


def pad_to(x, n, dim):
    """zeros at the end of axis `dim`, up to n entries"""
    after = x.dim() - 1 - dim
    return F.pad(x, (0, 0) * after + (0, n - x.shape[dim]))


def gated_step(query, key, value, gate, state):
    dtype = torch.promote_types(gate.dtype, torch.float32)
    a = torch.exp(F.logsigmoid(gate.to(dtype)) / 16).to(state.dtype)
    state = rearrange(a, 'b h -> b h 1 1') * state + einsum(key, value, 'b h d, b h e -> b h d e')
    return einsum(query, state, 'b h d, b h d e -> b h e'), state


def gated_linear_attention(query, key, value, gate, state, chunk_size):
    n = query.shape[2]
    full = cdiv(n, chunk_size) * chunk_size
    dtype = torch.promote_types(query.dtype, torch.float32)

    q, k, v, g = (pad_to(t.to(dtype), full, 2) for t in (query, key, value, gate))
    q, k, v = (rearrange(t, 'b h (c l) d -> c b h l d', l=chunk_size) for t in (q, k, v))
    log_a = rearrange(F.logsigmoid(g) / 16, 'b h (c l) -> c b h l', l=chunk_size)

    ahead = torch.ones(chunk_size, chunk_size, dtype=torch.bool, device=query.device).triu(1)
    S, outs = state.to(dtype), []
    for q_c, k_c, v_c, la in zip(q, k, v, log_a):
        c = la.cumsum(-1)
        D = (c[..., :, None] - c[..., None, :]).masked_fill(ahead, float('-inf')).exp()
        inter = c.exp()[..., None] * (q_c @ S)
        intra = ((q_c @ k_c.transpose(-1, -2)) * D) @ v_c
        outs.append(inter + intra)
        k_end = k_c * (c[..., -1:] - c).exp()[..., None]
        S = c[..., -1, None, None].exp() * S + k_end.transpose(-1, -2) @ v_c

    out = rearrange(outs, 'c b h l d -> b h (c l) d')[:, :, :n]
    return out.to(query.dtype), S.to(state.dtype)
