import torch
from torch import Tensor
import torch.nn.functional as F


def gated_step(query, key, value, gate, state):
    a = torch.exp(F.logsigmoid(gate) / 16).unsqueeze(-1).unsqueeze(-1)
    faded = a * state
    row = torch.einsum("bhkv,bhk->bhv", faded, query)
    new_state = faded + torch.einsum("bhk,bhv->bhkv", key, value)
    return row, new_state


def _decay(cum):
    """exp(c_i - c_j) below and on the diagonal, 0 above"""
    n = cum.size(-1)
    d = cum.unsqueeze(-1) - cum.unsqueeze(-2)
    upper = torch.triu(torch.full((n, n), float("-inf"), dtype=cum.dtype, device=cum.device), 1)
    return torch.exp(torch.where(upper < 0, upper, d))


def gated_linear_attention(query, key, value, gate, state, chunk_size):
    length = query.size(2)
    acc = torch.float64 if query.dtype == torch.float64 else torch.float32
    logs = F.logsigmoid(gate.to(acc)) / 16
    h = state.to(acc)
    out = []
    for lo in range(0, length, chunk_size):
        hi = min(lo + chunk_size, length)
        q, k, v = (t[:, :, lo:hi].to(acc) for t in (query, key, value))
        cum = logs[:, :, lo:hi].cumsum(-1)
        att = torch.einsum("bhik,bhjk->bhij", q, k) * _decay(cum)
        o = torch.einsum("bhij,bhjv->bhiv", att, v)
        o = o + torch.einsum("bhik,bhkv,bhi->bhiv", q, h, cum.exp())
        out.append(o)
        tail = (cum[..., -1:] - cum).exp()
        h = h * cum[..., -1].exp()[..., None, None] + torch.einsum("bhjk,bhjv,bhj->bhkv", k, v, tail)
    return torch.cat(out, 2).to(query.dtype), h.to(state.dtype)
