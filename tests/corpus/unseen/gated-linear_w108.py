import torch, torch.nn.functional as F
from torch import einsum

# t: position of the query   s: position of the key   k: key features   v: value features

def gated_step(query, key, value, gate, state):
    d = torch.promote_types(query.dtype, torch.float32)
    a = F.logsigmoid(gate.to(d)).div(16).exp()
    s = einsum('bh,bhkv->bhkv', a, state.to(d)) + einsum('bhk,bhv->bhkv', key.to(d), value.to(d))
    return einsum('bhk,bhkv->bhv', query.to(d), s).to(query.dtype), s.to(query.dtype)


def chunk(q, k, v, g, S):
    T = q.shape[2]
    la = F.logsigmoid(g.double()).div(16)
    c = la.cumsum(2)
    lower = torch.tril(torch.ones(T, T, dtype=torch.bool, device=q.device))
    L = torch.where(lower, c[:, :, :, None] - c[:, :, None, :], -torch.inf).exp().to(q.dtype)
    A = einsum('bhsk,bhtk->bhts', q, k) * L
    o = einsum('bhts,bhsv->bhtv', A, v)
    o = o + einsum('bht,bhtk,bhkv->bhtv', c.exp().to(q.dtype), q, S)
    w = (c[:, :, -1:] - c).exp().to(q.dtype)
    S = einsum('bh,bhkv->bhkv', c[:, :, -1].exp().to(q.dtype), S) + einsum('bhs,bhsk,bhsv->bhkv', w, k, v)
    return o, S


def gated_linear_attention(query, key, value, gate, state, chunk_size):
    d = torch.promote_types(query.dtype, torch.float32)
    S, os = state.to(d), []
    for t in range(0, query.shape[2], chunk_size):
        q, k, v, g = (x[:, :, t:t + chunk_size].to(d) for x in (query, key, value, gate))
        o, S = chunk(q, k, v, g, S)
        os.append(o)
    return torch.cat(os, 2).to(query.dtype), S.to(query.dtype)
