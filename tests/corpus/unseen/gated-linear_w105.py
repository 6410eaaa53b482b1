import functools

import torch
from torch import einsum
from torch.nn import functional as F

TAU = 16  # the gate's temperature in the paper


def log_gate(g):
    return F.logsigmoid(g.double() / TAU)


def gated_step(query, key, value, gate, state):
    new_state = state * log_gate(gate).exp().to(state)[..., None, None]
    new_state = new_state + einsum("bhd,bhe->bhde", key, value)
    return einsum("bhd,bhde->bhe", query, new_state), new_state


def one_chunk(carry, chunk):
    state, rows = carry
    q, k, v, a = chunk
    c = a.cumsum(-1)
    i = torch.arange(c.shape[-1], device=c.device)
    w = (c[..., :, None] - c[..., None, :]).masked_fill(i[:, None] < i, -torch.inf).exp().to(q)
    row = einsum("bhij,bhje->bhie", einsum("bhid,bhjd->bhij", q, k) * w, v)
    row = row + einsum("bhid,bhde->bhie", q * c.exp().to(q)[..., None], state)
    left = (c[..., -1:] - c).exp().to(k)
    state = state * c[..., -1].exp().to(state)[..., None, None]
    state = state + einsum("bhjd,bhje->bhde", k * left[..., None], v)
    return state, rows + [row]


def gated_linear_attention(query, key, value, gate, state, chunk_size):
    pieces = zip(*(t.split(chunk_size, 2) for t in (query, key, value, log_gate(gate))))
    state, rows = functools.reduce(one_chunk, pieces, (state, []))
    return torch.cat(rows, 2), state
