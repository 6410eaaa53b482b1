import math

import torch
from torch.nn import functional


def _decay(gate):
    return functional.logsigmoid(gate.float() if gate.dtype.itemsize < 4 else gate).mul(1 / 16)


def gated_step(query, key, value, gate, state):
    fade = _decay(gate).exp().to(state)[..., None, None]
    new_state = torch.addcmul(fade * state, key.unsqueeze(-1), value.unsqueeze(-2))
    row = (new_state * query.unsqueeze(-1)).sum(-2)
    return row, new_state


def gated_linear_attention(query, key, value, gate, state, chunk_size):
    b, h, n, _ = query.shape
    size = min(chunk_size, n)
    chunks = math.ceil(n / size)
    short = chunks * size - n
    dtype = query.dtype

    def cut(t, fill=0.0):
        t = functional.pad(t, (0, 0, 0, short), value=fill)
        return t.unflatten(2, (chunks, size))

    # an empty place writes nothing and keeps everything
    q, k, v = cut(query), cut(key), cut(value)
    logs = cut(_decay(gate).unsqueeze(-1)).squeeze(-1)
    c = logs.cumsum(-1)
    end = c[..., -1:]
    ahead = torch.ones(size, size, dtype=torch.bool, device=query.device).triu(1)
    rel = (c.unsqueeze(-1) - c.unsqueeze(-2)).masked_fill(ahead, -math.inf)
    pairs = q.matmul(k.transpose(-1, -2)) * rel.exp().to(dtype)
    out = pairs.matmul(v)
    written = (k * (end - c).exp().to(dtype).unsqueeze(-1)).transpose(-1, -2).matmul(v)
    kept = end.exp().to(dtype).unsqueeze(-1)
    found = []
    for i in range(chunks):
        found.append(state)
        state = kept[:, :, i] * state + written[:, :, i]
    reads = (q * c.exp().to(dtype).unsqueeze(-1)).matmul(torch.stack(found, 2))
    return (out + reads).flatten(2, 3)[:, :, :n], state
