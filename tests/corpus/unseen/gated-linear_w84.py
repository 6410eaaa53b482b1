# attn-kata: gated-linear
import torch
import torch.nn.functional as F


def _log_gate(gate):
    up = torch.float64 if gate.dtype == torch.float64 else torch.float32
    return F.logsigmoid(gate.to(up)) / 16


def gated_step(query, key, value, gate, state):
    faded = state * _log_gate(gate).exp().to(state.dtype)[:, :, None, None]
    new_state = faded + key.unsqueeze(-1) * value.unsqueeze(-2)
    row = torch.einsum("bhd,bhde->bhe", query, faded)
    return row, new_state


def gated_linear_attention(query, key, value, gate, state, chunk_size):
    logs = _log_gate(gate)
    up = logs.dtype
    s = state.to(up)
    out = []
    for lo in range(0, query.shape[2], chunk_size):
        hi = min(lo + chunk_size, query.shape[2])
        q, k, v = (t[:, :, lo:hi].to(up) for t in (query, key, value))
        c = torch.cumsum(logs[:, :, lo:hi], dim=2)
        tri = torch.ones(hi - lo, hi - lo, dtype=torch.bool, device=c.device).tril()
        w = torch.where(tri, c[:, :, :, None] - c[:, :, None, :], float("-inf")).exp()
        y = torch.einsum("bhid,bhjd,bhij,bhje->bhie", q, k, w, v)
        y = y + torch.einsum("bhi,bhid,bhde->bhie", c.exp(), q, s)
        out.append(y)
        left = (c[:, :, -1:] - c).exp()
        s = s * c[:, :, -1, None, None].exp() + torch.einsum("bhj,bhjd,bhje->bhde", left, k, v)
    return torch.cat(out, dim=2).to(query.dtype), s.to(state.dtype)
