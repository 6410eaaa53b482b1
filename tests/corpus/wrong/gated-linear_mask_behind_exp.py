# wrong: gated-linear decay-overflows line 24
# fair: decay-overflows 25
import torch
from torch.nn import functional as F


def gated_step(query, key, value, gate, state):
    alpha = torch.exp(F.logsigmoid(gate) / 16)
    new_state = alpha[..., None, None] * state + key[..., None] * value[..., None, :]
    return (query[..., None] * new_state).sum(-2), new_state


def gated_linear_attention(query, key, value, gate, state, chunk_size):
    T = query.shape[-2]
    wide = torch.promote_types(gate.dtype, torch.float32)
    log_alpha = F.logsigmoid(gate.to(wide)) / 16
    outputs = []
    for s in range(0, T, chunk_size):
        e = min(s + chunk_size, T)
        q, k, v = query[..., s:e, :], key[..., s:e, :], value[..., s:e, :]
        cs = log_alpha[..., s:e].cumsum(-1)
        tri = torch.tril(torch.ones(e - s, e - s, device=q.device, dtype=q.dtype))
        gap = cs[..., :, None] - cs[..., None, :]
        decay = torch.exp(gap).to(q.dtype) * tri
        inner = ((q @ k.transpose(-1, -2)) * decay) @ v
        cross = cs.exp().to(q.dtype)[..., None] * (q @ state)
        outputs.append(inner + cross)
        tail = torch.exp(cs[..., -1:] - cs).to(q.dtype)
        state = torch.exp(cs[..., -1]).to(q.dtype)[..., None, None] * state
        state = state + (k * tail[..., None]).transpose(-1, -2) @ v
    return torch.cat(outputs, -2), state
