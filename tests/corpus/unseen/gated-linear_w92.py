import torch
from torch.nn import functional as F


def gated_step(query, key, value, gate, state):
    a = torch.exp(F.logsigmoid(gate) / 16)
    new = state * a.unsqueeze(-1).unsqueeze(-1) + torch.einsum("bhd,bhe->bhde", key, value)
    return torch.einsum("bhd,bhde->bhe", query, new), new


def gated_linear_attention(query, key, value, gate, state, chunk_size):
    dt = query.dtype
    hi = torch.float64 if dt == torch.float64 else torch.float32
    q, k, v, g, S = (t.to(hi) for t in (query, key, value, gate, state))
    log_a = F.logsigmoid(g) / 16
    pieces = []
    for qc, kc, vc, la in zip(*(t.split(chunk_size, dim=2) for t in (q, k, v, log_a))):
        c = torch.cumsum(la, dim=2)
        L = c.shape[2]
        i = torch.arange(L, device=c.device)
        diff = c[:, :, :, None] - c[:, :, None, :]
        diff = torch.where(i[:, None] >= i[None, :], diff, -torch.inf)
        inner = torch.einsum("bhid,bhjd->bhij", qc, kc) * diff.exp()
        carried = torch.einsum("bhid,bhde->bhie", qc, S)
        carried = carried * (c - la).exp().unsqueeze(-1)
        pieces.append(torch.einsum("bhij,bhje->bhie", inner, vc) + carried)
        end = c[:, :, -1]
        S = S * end.exp()[..., None, None]
        S = S + torch.einsum("bhjd,bhje,bhj->bhde", kc, vc, (end[..., None] - c).exp())
    return torch.cat(pieces, dim=2).to(dt), S.to(dt)
