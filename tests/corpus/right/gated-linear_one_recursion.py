# right: gated-linear
import torch
import torch.nn.functional as F


def gated_step(query, key, value, gate, state):
    row, state = gated_linear_attention(
        query[:, :, None], key[:, :, None], value[:, :, None], gate[:, :, None], state, 1
    )
    return row[:, :, 0], state


def gated_linear_attention(query, key, value, gate, state, chunk_size):
    first, rest = slice(0, chunk_size), slice(chunk_size, None)
    q, k, v = query[:, :, first], key[:, :, first], value[:, :, first]
    n = q.shape[2]
    c = (F.logsigmoid(gate[:, :, first].to(torch.promote_types(gate.dtype, torch.float32))) / 16).cumsum(2)
    ends = torch.cat([torch.zeros_like(c[:, :, :1]), c], dim=2)
    hidden = torch.arange(n, device=q.device)[:, None] < torch.arange(n, device=q.device)
    from_key = (c[..., None] - c[:, :, None]).masked_fill(hidden, -torch.inf).exp().to(q.dtype)
    from_start = (c - ends[:, :, :1]).exp().to(q.dtype)[..., None]
    out = (q @ k.mT).mul(from_key) @ v + from_start * (q @ state)
    state = from_start[:, :, -1:] * state + (from_key[:, :, -1, :, None] * k).mT @ v
    if query.shape[2] <= chunk_size:
        return out, state
    after, state = gated_linear_attention(
        query[:, :, rest], key[:, :, rest], value[:, :, rest], gate[:, :, rest], state, chunk_size
    )
    return torch.cat([out, after], dim=2), state
