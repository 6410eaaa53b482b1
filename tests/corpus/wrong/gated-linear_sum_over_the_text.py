# wrong: gated-linear decay-not-restarted line 22
# fair: decay-not-restarted 15, 26
import torch
import torch.nn.functional as F


def gated_step(query, key, value, gate, state):
    keep = F.logsigmoid(gate).mul(1 / 16).exp()
    state = keep[..., None, None] * state + key[..., None] * value[..., None, :]
    return (query[..., None] * state).sum(2), state


def gated_linear_attention(query, key, value, gate, state, chunk_size):
    wide = torch.promote_types(gate.dtype, torch.float32)
    sums = torch.cumsum(F.logsigmoid(gate.to(wide)) / 16, dim=-1)
    length = query.size(-2)
    parts = []
    for begin in range(0, length, chunk_size):
        q = query.narrow(2, begin, min(chunk_size, length - begin))
        k = key.narrow(2, begin, q.size(2))
        v = value.narrow(2, begin, q.size(2))
        b = sums.narrow(2, begin, q.size(2))
        order = torch.arange(q.size(2), device=q.device)
        gap = (b.unsqueeze(3) - b.unsqueeze(2)).masked_fill(order[:, None] < order, -float("inf"))
        inside = (q @ k.mT * gap.exp().to(q.dtype)) @ v
        before = b.exp().to(q.dtype).unsqueeze(-1) * (q @ state)
        parts.append(inside + before)
        to_end = (b[..., -1:] - b).exp().to(q.dtype).unsqueeze(-1)
        state = b[..., -1:].exp().to(q.dtype).unsqueeze(-1) * state + (k * to_end).mT @ v
    return torch.cat(parts, 2), state
