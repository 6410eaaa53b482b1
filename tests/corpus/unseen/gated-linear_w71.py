import torch


def gated_step(query, key, value, gate, state):
    kind = state.dtype
    w = torch.float64 if kind == torch.float64 else torch.float32
    a = torch.sigmoid(gate.to(w)) ** (1 / 16)
    state = torch.einsum('bh,bhdv->bhdv', a, state.to(w)) + torch.einsum('bhd,bhv->bhdv', key.to(w), value.to(w))
    return torch.einsum('bhdv,bhd->bhv', state, query.to(w)).to(kind), state.to(kind)


def gated_linear_attention(query, key, value, gate, state, chunk_size):
    kind = state.dtype
    w = torch.float64 if kind == torch.float64 else torch.float32
    b, h, n, d = query.shape
    S = state.to(w)
    rows = []
    for t in range(0, n, chunk_size):
        q, k, v, g = (x[:, :, t:t + chunk_size].to(w) for x in (query, key, value, gate))
        m = q.shape[2]
        c = torch.cumsum(torch.log(torch.sigmoid(g)) / 16, dim=2)
        tri = torch.full((m, m), float('-inf'), device=q.device, dtype=w).triu(1)
        G = torch.exp(c[:, :, :, None] - c[:, :, None, :] + tri)
        o = G * (q @ k.transpose(2, 3))
        o = o @ v + torch.exp(c)[..., None] * (q @ S)
        rows.append(o)
        r = torch.exp(c[:, :, m - 1:m] - c)
        S = torch.exp(c[:, :, m - 1])[..., None, None] * S + torch.einsum('bhj,bhjd,bhjv->bhdv', r, k, v)
    return torch.cat(rows, 2).to(kind), S.to(kind)
