# wrong: gated-linear carried-read-late line 21
import torch
import torch.nn.functional as F


def gated_step(query, key, value, gate, state):
    a = (F.logsigmoid(gate) / 16).exp()[..., None, None]
    state = a * state + key[..., :, None] * value[..., None, :]
    return (query[..., None, :] @ state)[..., 0, :], state


def gated_linear_attention(query, key, value, gate, state, chunk_size):
    logs = F.logsigmoid(gate.to(torch.promote_types(gate.dtype, torch.float32))) / 16
    out = []
    for q, k, v, g in zip(*(t.split(chunk_size, dim=2) for t in (query, key, value, logs))):
        c = g.cumsum(-1)
        mask = torch.ones(c.shape[-1], c.shape[-1], dtype=torch.bool, device=q.device).triu(1)
        m = (c[..., None] - c[..., None, :]).masked_fill(mask, float("-inf")).exp().to(q.dtype)
        e = c.exp().to(q.dtype)[..., None]
        state = e[:, :, -1:] * state + (k * m[:, :, -1, :, None]).mT @ v
        out.append((q @ k.mT * m) @ v + e * (q @ state))
    return torch.cat(out, 2), state
