"""All chunks at once; the states between them by one more product with a triangle of decays."""
import torch
from torch.func import vmap
from torch.nn.functional import logsigmoid, pad


def log_keep(gate):
    return logsigmoid(gate.to(torch.promote_types(gate.dtype, torch.float32))) / 16


def gated_step(query, key, value, gate, state):
    one = lambda q, k, v, a, S: (lambda N: (q @ N, N))(a * S + torch.outer(k, v))
    wide = torch.promote_types(state.dtype, torch.float32)
    args = (query.to(wide), key.to(wide), value.to(wide), log_keep(gate).exp().to(wide), state.to(wide))
    row, new = vmap(vmap(one))(*args)
    return row.to(value.dtype), new.to(state.dtype)


def lower(c):
    """exp(c_i - c_j) for j <= i, else 0; c: (n,)"""
    gap = c.unsqueeze(1) - c
    keep = torch.ones_like(gap, dtype=torch.bool).tril()
    return torch.where(keep, gap, float("-inf")).exp()


def inside(q, k, v, c):
    return (lower(c) * (q @ k.mT)) @ v


def gated_linear_attention(query, key, value, gate, state, chunk_size):
    length, size = query.size(2), min(chunk_size, query.size(2))
    rest = -length % size
    wide = torch.promote_types(state.dtype, torch.float32)
    q, k, v = (
        pad(t.to(wide), (0, 0, 0, rest)).unflatten(2, (-1, size)) for t in (query, key, value)
    )
    c = pad(log_keep(gate).to(wide), (0, rest)).unflatten(2, (-1, size)).cumsum(-1)

    out = vmap(vmap(vmap(inside)))(q, k, v, c)
    added = (k * (c[..., -1:] - c).exp().unsqueeze(-1)).mT @ v
    total = c[..., -1].exp()
    state_now, before = state.to(wide), []
    for n in range(total.size(-1)):
        before.append(state_now)
        state_now = torch.addcmul(added[:, :, n], total[:, :, n, None, None], state_now)
    out = out + c.exp().unsqueeze(-1) * (q @ torch.stack(before, 2))
    return out.flatten(2, 3)[:, :, :length].to(value.dtype), state_now.to(state.dtype)
