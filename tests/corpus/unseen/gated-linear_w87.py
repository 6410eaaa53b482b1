import math
import torch
from torch import Tensor
from torch.nn.functional import logsigmoid, pad


def gated_step(query: Tensor, key: Tensor, value: Tensor, gate: Tensor, state: Tensor):
    keep = (logsigmoid(gate) * (1 / 16)).exp()
    state = keep[:, :, None, None] * state + key.unsqueeze(3) @ value.unsqueeze(2)
    return (query.unsqueeze(2) @ state).squeeze(2), state


def intra_decay(g: Tensor) -> Tensor:
    c = g.cumsum(-1)
    before = pad(c, (1, 0))[..., :-1]
    delta = c[..., :, None] - before[..., None, :]
    ahead = torch.ones(delta.shape[-2:], dtype=torch.bool, device=g.device).triu(diagonal=1)
    return delta.masked_fill(ahead, -math.inf).exp()


def gated_linear_attention(
    query: Tensor, key: Tensor, value: Tensor, gate: Tensor, state: Tensor, chunk_size: int
):
    work = torch.promote_types(query.dtype, torch.float32)
    log_a = logsigmoid(gate.to(work)) / 16
    q_, k_, v_, s = query.to(work), key.to(work), value.to(work), state.to(work)
    rows, start, length = [], 0, query.shape[-2]
    while start < length:
        span = slice(start, start + chunk_size)
        q, k, v, g = q_[:, :, span], k_[:, :, span], v_[:, :, span], log_a[:, :, span]
        total = g.sum(-1, keepdim=True)
        running = g.cumsum(-1)
        local = (q @ k.transpose(-1, -2)) * intra_decay(g)
        rows.append(local @ v + (q @ s) * running.exp().unsqueeze(-1))
        k_faded = k * (total - running).exp().unsqueeze(-1)
        s = total.exp().unsqueeze(-1) * s + k_faded.transpose(-1, -2) @ v
        start += chunk_size
    return torch.cat(rows, dim=-2).to(query.dtype), s.to(query.dtype)
