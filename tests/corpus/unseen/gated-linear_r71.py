# All chunks side by side; the states between them come from a scan over chunks.
import torch
from torch.nn import functional as F


def _log_kept(gate):
    wide = torch.promote_types(gate.dtype, torch.float32)
    return F.logsigmoid(gate.to(wide)) / 16


def gated_step(query, key, value, gate, state):
    a = _log_kept(gate).exp()[..., None, None].to(state.dtype)
    new = torch.baddbmm(
        (a * state).flatten(0, 1), key.flatten(0, 1)[:, :, None], value.flatten(0, 1)[:, None, :]
    ).view_as(state)
    return torch.einsum("bhkv,bhk->bhv", new, query), new


def gated_linear_attention(query, key, value, gate, state, chunk_size):
    length, kind = query.shape[2], query.dtype
    wide = torch.promote_types(kind, torch.float32)
    size = min(chunk_size, length)
    extra = -length % size
    # filled up with zeros: an added position writes nothing, and its log is 0, so it keeps everything
    q, k, v = (F.pad(t.to(wide), (0, 0, 0, extra)).unflatten(2, (-1, size)) for t in (query, key, value))
    logs = F.pad(_log_kept(gate), (0, extra)).unflatten(2, (-1, size))
    c = logs.cumsum(-1)
    i = torch.arange(size, device=q.device)
    between = (c[..., :, None] - c[..., None, :]).masked_fill(i > i[:, None], -torch.inf)
    inner = torch.einsum("bhnik,bhnjk->bhnij", q, k) * between.exp()
    out = torch.einsum("bhnij,bhnjv->bhniv", inner, v)
    to_end = (c[..., -1:] - c).exp().unsqueeze(-1)
    written = torch.einsum("bhnjk,bhnjv->bhnkv", k * to_end, v)
    found, s = [], state.to(wide)
    for n, whole in enumerate(c[..., -1].exp().unbind(2)):
        found.append(s)
        s = whole[..., None, None] * s + written[:, :, n]
    out = out + torch.einsum("bhnik,bhnkv->bhniv", q * c.exp().unsqueeze(-1), torch.stack(found, 2))
    return out.flatten(2, 3)[:, :, :length].to(kind), s.to(state.dtype)
