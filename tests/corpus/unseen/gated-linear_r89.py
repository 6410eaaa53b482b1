# Gated linear attention, one loop over chunks. Decays live in float64: sums of logs may be large
# while their differences are small.
import torch
import torch.nn.functional as F

ROOT = 16


def log_keep(gate):
    return F.logsigmoid(gate.double()) / ROOT


def gated_step(query, key, value, gate, state):
    work = torch.promote_types(query.dtype, torch.float32)
    a = log_keep(gate).exp().to(work)
    new = a[..., None, None] * state.to(work) + key.to(work)[..., :, None] * value.to(work)[..., None, :]
    row = (new * query.to(work)[..., :, None]).sum(-2)
    return row.to(value.dtype), new.to(state.dtype)


def gated_linear_attention(query, key, value, gate, state, chunk_size):
    work = torch.promote_types(query.dtype, torch.float32)
    S = state.to(work)
    outs = []
    for q, k, v, g in zip(
        query.split(chunk_size, dim=2),
        key.split(chunk_size, dim=2),
        value.split(chunk_size, dim=2),
        gate.split(chunk_size, dim=2),
    ):
        q, k, v = q.to(work), k.to(work), v.to(work)
        n = q.shape[2]
        c = log_keep(g).cumsum(-1)
        ahead = torch.ones(n, n, dtype=torch.bool, device=q.device).triu(1)
        diff = (c[..., :, None] - c[..., None, :]).masked_fill(ahead, float("-inf"))
        A = (q @ k.transpose(-1, -2)) * diff.exp().to(work)
        outs.append(c.exp().to(work)[..., None] * (q @ S) + A @ v)
        left = (c[..., -1:] - c).exp().to(work)[..., None]
        S = c[..., -1].exp().to(work)[..., None, None] * S + (k * left).transpose(-1, -2) @ v
    return torch.cat(outs, dim=2).to(value.dtype), S.to(state.dtype)
