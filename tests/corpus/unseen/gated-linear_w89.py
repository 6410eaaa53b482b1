from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional as F

GATE_ROOT = 16


def gated_step(
    query: Tensor, key: Tensor, value: Tensor, gate: Tensor, state: Tensor
) -> tuple[Tensor, Tensor]:
    decay = gate.sigmoid().pow(1 / GATE_ROOT).unsqueeze(-1).unsqueeze(-1)
    new_state = torch.addcmul(state * decay, key.unsqueeze(-1), value.unsqueeze(-2))
    return (query.unsqueeze(-2) @ new_state).squeeze(-2), new_state


def gated_linear_attention(
    query: Tensor, key: Tensor, value: Tensor, gate: Tensor, state: Tensor, chunk_size: int
) -> tuple[Tensor, Tensor]:
    length = query.size(2)
    chunk_size = min(chunk_size, length)
    missing = -length % chunk_size
    q, k, v = (F.pad(t, (0, 0, 0, missing)) for t in (query, key, value))
    g = F.pad(gate, (0, missing))
    log_decay = F.logsigmoid(g) / GATE_ROOT

    q, k, v, log_decay = (t.unflatten(2, (-1, chunk_size)) for t in (q, k, v, log_decay))
    c = log_decay.cumsum(-1)
    visible = torch.ones(chunk_size, chunk_size, dtype=torch.bool, device=q.device).tril()
    out = []
    for n in range(c.size(2)):
        cn, qn, kn, vn = c[:, :, n], q[:, :, n], k[:, :, n], v[:, :, n]
        difference = cn.unsqueeze(-1) - cn.unsqueeze(-2)
        weights = torch.where(visible, difference, -torch.inf).exp() * (qn @ kn.transpose(-1, -2))
        out.append(weights @ vn + cn.exp().unsqueeze(-1) * (qn @ state))
        to_end = (cn[..., -1:] - cn).exp().unsqueeze(-1)
        state = cn[..., -1].exp()[..., None, None] * state + (to_end * kn).transpose(-1, -2) @ vn
    return torch.cat(out, dim=2)[:, :, :length], state
