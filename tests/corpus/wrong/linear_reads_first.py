# wrong: linear causal-excludes-self line 20
# fair: causal-excludes-self 20, 21, 22, 23, 24
import torch
import torch.nn.functional as F


def linear_attention(query, key, value):
    query, key = F.elu(query) + 1, F.elu(key) + 1
    return (query @ (key.transpose(2, 3) @ value)) / (query @ key.sum(2).unsqueeze(-1) + 1e-6)


def causal_linear_attention(query, key, value):
    query, key = F.elu(query) + 1, F.elu(key) + 1
    b, h, t, d = query.shape
    state = torch.zeros(b, h, d, value.size(-1)).to(value)
    total = torch.zeros(b, h, d).to(value)
    rows = []
    for i in range(t):
        q, k, v = query[:, :, i], key[:, :, i], value[:, :, i]
        top = torch.einsum("bhd,bhdv->bhv", q, state)
        bottom = torch.einsum("bhd,bhd->bh", q, total).unsqueeze(-1)
        rows.append(top / (bottom + 1e-6))
        state = state + torch.einsum("bhd,bhv->bhdv", k, v)
        total = total + k
    return torch.stack(rows, dim=2)
