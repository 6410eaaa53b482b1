import torch
import torch.nn.functional as F

TAU = 16


def _log_keep(gate):
    wide = torch.promote_types(gate.dtype, torch.float32)
    return F.logsigmoid(gate.to(wide)) / TAU


def gated_step(query, key, value, gate, state):
    keep = _log_keep(gate).exp()[..., None, None]
    new = torch.addcmul(keep * state, key.unsqueeze(-1), value.unsqueeze(-2))
    row = torch.einsum("bhd,bhde->bhe", query.to(new.dtype), new)
    return row.to(value.dtype), new.to(state.dtype)


def gated_linear_attention(query, key, value, gate, state, chunk_size):
    la = _log_keep(gate)
    wide = la.dtype
    S = state.to(wide)
    pieces = []
    for q, k, v, g in zip(*(t.split(chunk_size, dim=2) for t in (query, key, value, la))):
        q, k, v = q.to(wide), k.to(wide), v.to(wide)
        n = g.shape[-1]
        c = torch.cumsum(g, -1)
        # segment sums, made of the gates between, so nothing cancels
        tri = torch.ones(n, n, dtype=torch.bool, device=g.device)
        seg = g.unsqueeze(-1).expand(*g.shape, n).masked_fill(~tri.tril(-1), 0).cumsum(-2)
        decay = seg.masked_fill(~tri.tril(), -torch.inf).exp()
        intra = (q @ k.mT * decay) @ v
        inter = (q * c.exp().unsqueeze(-1)) @ S
        pieces.append(intra + inter)
        fade = decay[..., -1, :].unsqueeze(-1)
        S = S * c[..., -1:, None].exp() + (k * fade).mT @ v
    return torch.cat(pieces, 2).to(value.dtype), S.to(state.dtype)
