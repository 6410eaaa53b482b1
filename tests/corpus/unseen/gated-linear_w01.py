# attn-kata: gated-linear
import torch
from torch.nn import functional


def gated_step(query, key, value, gate, state):
    keep = torch.exp(functional.logsigmoid(gate) / 16)
    new_state = keep[..., None, None] * state + key.unsqueeze(-1) * value.unsqueeze(-2)
    row = (query.unsqueeze(-2) @ new_state).squeeze(-2)
    return row, new_state


def gated_linear_attention(query, key, value, gate, state, chunk_size):
    dtype = query.dtype
    work = torch.float64 if dtype == torch.float64 else torch.float32
    q, k, v, g, s = (t.to(work) for t in (query, key, value, gate, state))
    log_a = functional.logsigmoid(g) / 16
    outs = []
    for lo in range(0, q.shape[2], chunk_size):
        hi = min(lo + chunk_size, q.shape[2])
        qc, kc, vc, la = q[:, :, lo:hi], k[:, :, lo:hi], v[:, :, lo:hi], log_a[:, :, lo:hi]
        c = la.cumsum(-1)                                   # (b, h, n)
        n = hi - lo
        lower = torch.ones(n, n, dtype=torch.bool, device=q.device).tril()
        decay = (c[..., :, None] - c[..., None, :]).masked_fill(~lower, float("-inf")).exp()
        inner = (qc @ kc.transpose(-1, -2)) * decay
        carried = (c - la).exp().unsqueeze(-1) * (qc @ s)
        outs.append(inner @ vc + carried)
        tail = (c[..., -1:] - c).exp().unsqueeze(-1)
        s = c[..., -1].exp()[..., None, None] * s + (kc * tail).transpose(-1, -2) @ vc
    return torch.cat(outs, dim=2).to(dtype), s.to(state.dtype)
