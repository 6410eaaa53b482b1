import torch
from torch.nn.functional import logsigmoid


def _retain(gate):
    return logsigmoid(gate.to(torch.promote_types(gate.dtype, torch.float32))) / 16


def gated_step(query, key, value, gate, state):
    a = _retain(gate).exp().to(state.dtype)
    state = a[..., None, None] * state + torch.einsum("...d,...v->...dv", key, value)
    return torch.einsum("...dv,...d->...v", state, query), state


def _leaf(q, k, v, la, state):
    n = la.shape[-1]
    c = torch.cumsum(la, -1)
    i = torch.arange(n, device=c.device)
    d = torch.where(i[:, None] >= i, c[..., :, None] - c[..., None, :], -torch.inf).exp().to(q.dtype)
    e = c.exp().to(q.dtype)
    out = torch.einsum("bhid,bhjd,bhij,bhjv->bhiv", q, k, d, v) + torch.einsum("bhi,bhid,bhdv->bhiv", e, q, state)
    end = torch.einsum("bhj,bhjd,bhjv->bhdv", d[..., -1, :], k, v) + e[..., -1, None, None] * state
    return out, end


def _solve(q, k, v, la, state, size):
    n = q.shape[2]
    if n <= size:
        return _leaf(q, k, v, la, state)
    half = n // 2
    left = [t[:, :, :half] for t in (q, k, v, la)]
    right = [t[:, :, half:] for t in (q, k, v, la)]
    first, middle = _solve(*left, state, size)
    second, end = _solve(*right, state, size)
    return torch.cat([first, second], dim=2), end


def gated_linear_attention(query, key, value, gate, state, chunk_size):
    return _solve(query, key, value, _retain(gate), state, chunk_size)
