import torch
from torch.nn import functional as F

def loga(g):
    return F.logsigmoid(g if g.dtype == torch.float64 else g.float()) / 16

def gated_step(query, key, value, gate, state):
    a = loga(gate).exp().to(state.dtype)
    s = a[..., None, None] * state + key[..., None] * value[..., None, :]
    return (query[..., None, :] @ s)[..., 0, :], s

def gated_linear_attention(query, key, value, gate, state, chunk_size):
    L, dt = query.size(2), query.dtype
    la = loga(gate)
    s = state.to(la.dtype)
    ys = []
    for t in range(0, L, chunk_size):
        q, k, v = (x[:, :, t:t + chunk_size].to(la.dtype) for x in (query, key, value))
        c = la[:, :, t:t + chunk_size].cumsum(-1)
        w = c[..., None] - c[..., None, :]
        w = w.exp().tril()
        y = (q @ k.mT * w) @ v + c.exp()[..., None] * (q @ s)
        ys.append(y)
        e = c[..., -1:]
        s = e.exp()[..., None] * s + (k * (e - c).exp()[..., None]).mT @ v
    return torch.cat(ys, 2).to(dt), s.to(dt)
