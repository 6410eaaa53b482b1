# wrong: linear linear-state-not-kept line 18
import torch
from torch.nn.functional import elu


def linear_attention(query, key, value):
    q, k = elu(query) + 1, elu(key) + 1
    return q @ (k.mT @ value) / (q @ k.sum(-2)[..., None])


def causal_linear_attention(query, key, value, size=48):
    q, k = elu(query) + 1, elu(key) + 1
    rows = []
    mass = torch.zeros_like(k[:, :, :1])
    for at in range(0, q.shape[2], size):
        qs, ks, vs = (one[:, :, at : at + size] for one in (q, k, value))
        masses = mass + ks.cumsum(2)
        states = (ks[..., None] * vs[..., None, :]).cumsum(2)
        above = torch.einsum("bhtd,bhtdv->bhtv", qs, states)
        rows.append(above / (qs * masses).sum(-1, keepdim=True))
        mass = masses[:, :, -1:]
    return torch.cat(rows, dim=2)
