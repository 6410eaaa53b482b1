import torch
import torch.nn.functional as F


def gated_step(query, key, value, gate, state):
    a = torch.exp(F.logsigmoid(gate) / 16)[..., None, None]
    state = a * state + key.unsqueeze(-1) * value.unsqueeze(-2)
    return (query.unsqueeze(-2) @ state).squeeze(-2), state


def gated_linear_attention(query, key, value, gate, state, chunk_size):
    dt = query.dtype
    wide = torch.promote_types(dt, torch.float32)
    q, k, v, S = query.to(wide), key.to(wide), value.to(wide), state.to(wide)
    loga = F.logsigmoid(gate.to(wide)) / 16
    outs = []
    for s in range(0, q.size(2), chunk_size):
        e = s + chunk_size
        qc, kc, vc = q[:, :, s:e], k[:, :, s:e], v[:, :, s:e]
        c = loga[:, :, s:e].cumsum(-1)
        n = c.size(-1)
        diff = c.unsqueeze(-1) - c.unsqueeze(-2)
        hide = torch.ones(n, n, dtype=torch.bool, device=q.device).triu(1)
        decay = diff.masked_fill(hide, float("-inf")).exp()
        inter = c.exp().unsqueeze(-1) * (qc @ S)
        intra = (qc @ kc.transpose(-1, -2) * decay) @ vc
        outs.append(inter + intra)
        last = c[..., -1]
        to_end = c.exp().unsqueeze(-1)
        S = last.exp()[..., None, None] * S + kc.transpose(-1, -2) @ (vc * to_end)
    return torch.cat(outs, 2).to(dt), S.to(dt)
