import torch
from torch.nn import functional


def gated_step(query, key, value, gate, state):
    a = (functional.logsigmoid(gate.float() if gate.dtype.itemsize < 4 else gate) / 16).exp()
    new_state = a[..., None, None] * state + torch.einsum('bhk,bhv->bhkv', key, value)
    new_state = new_state.to(state.dtype)
    return torch.einsum('bhk,bhkv->bhv', query, new_state), new_state


def gated_linear_attention(query, key, value, gate, state, chunk_size):
    # work in at least float32
    up = lambda t: t.float() if t.dtype.itemsize < 4 else t
    dtype = value.dtype
    query, key, value, gate, S = up(query), up(key), up(value), up(gate), up(state)
    length = query.shape[2]
    pieces = []
    start = 0
    while start < length:
        stop = min(start + chunk_size, length)
        n = stop - start
        qc, kc, vc = query[:, :, start:stop], key[:, :, start:stop], value[:, :, start:stop]
        c = torch.cumsum(functional.logsigmoid(gate[:, :, start:stop]) / 16, dim=-1)
        total = c[:, :, n - 1]

        qd = qc * c.exp()[..., None]
        kd = kc * (-c).exp()[..., None]
        att = (qd @ kd.transpose(-1, -2)).tril()
        pieces.append(att @ vc + qd @ S)

        left = (total[..., None] - c).exp()[..., None]
        S = total.exp()[..., None, None] * S + (kc * left).transpose(-1, -2) @ vc
        start = stop
    out = torch.cat(pieces, dim=2)
    return out.to(dtype), S.to(dtype)
