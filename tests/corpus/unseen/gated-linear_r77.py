"""After Mamba-2's minimal SSD: all chunks at once, decays by segment sums (no difference of two running sums)."""
import torch
import torch.nn.functional as F


def _log_keep(gate):
    return F.logsigmoid(gate) / 16


def gated_step(query, key, value, gate, state):
    wide = torch.promote_types(query.dtype, torch.float32)
    q, k, v, g, s = (t.to(wide) for t in (query, key, value, gate, state))
    new = torch.addcmul(torch.exp(_log_keep(g))[..., None, None] * s, k[..., None], v[..., None, :])
    row = (q.unsqueeze(-2) @ new).squeeze(-2)
    return row.to(value.dtype), new.to(state.dtype)


def segsum(x):
    """(..., n) -> (..., n, n): entry i, j is x[j+1] + ... + x[i], -inf above the diagonal"""
    n = x.size(-1)
    mask = torch.ones(n, n, dtype=torch.bool, device=x.device)
    square = x[..., :, None].expand(*x.shape, n).masked_fill(~mask.tril(-1), 0)
    return square.cumsum(-2).masked_fill(~mask.tril(), -torch.inf)


def gated_linear_attention(query, key, value, gate, state, chunk_size):
    wide = torch.promote_types(query.dtype, torch.float32)
    length = query.size(2)
    size = min(chunk_size, length)
    short = -length % size

    def cut(t):
        return F.pad(t.to(wide), (0, 0, 0, short)).unflatten(2, (-1, size))

    q, k, v = cut(query), cut(key), cut(value)
    a = cut(_log_keep(gate.to(wide)).unsqueeze(-1)).squeeze(-1)      # padding keeps all: log 1
    segments = segsum(a)
    inside = torch.einsum("bhcln,bhcsn->bhcls", q, k) * segments.exp()
    out = inside @ v
    # the last row says what of each position is left at the chunk's end
    written = torch.einsum("bhcs,bhcsn,bhcsp->bhcnp", segments[..., -1, :].exp(), k, v)
    running = a.cumsum(-1)
    found, now = [], state.to(wide)
    for c in range(q.size(2)):
        found.append(now)
        now = running[:, :, c, -1].exp()[..., None, None] * now + written[:, :, c]
    out = out + (running.exp().unsqueeze(-1) * q) @ torch.stack(found, 2)
    return out.flatten(2, 3)[:, :, :length].to(value.dtype), now.to(state.dtype)
