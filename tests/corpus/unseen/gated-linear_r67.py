"""All chunks at once: local products in parallel, then a scan over the chunk states."""
import torch
import torch.nn.functional as F


def gated_step(query, key, value, gate, state):
    up = torch.promote_types(gate.dtype, torch.float32)
    a = torch.exp(F.logsigmoid(gate.to(up)) / 16).to(state.dtype)
    new_state = torch.einsum("bh,bhkv->bhkv", a, state) + torch.einsum("bhk,bhv->bhkv", key, value)
    return torch.einsum("bhk,bhkv->bhv", query, new_state), new_state


def _chunked(x, n_chunk, c, fill=0.0):
    pad = n_chunk * c - x.shape[2]
    widths = (0, pad) if x.dim() == 3 else (0, 0, 0, pad)
    return F.pad(x, widths, value=fill).unflatten(2, (n_chunk, c))


def gated_linear_attention(query, key, value, gate, state, chunk_size):
    up = torch.promote_types(query.dtype, torch.float32)
    length = query.shape[2]
    c = min(chunk_size, length)
    n = -(-length // c)
    q, k, v = (_chunked(x.to(up), n, c) for x in (query, key, value))
    # padding keeps everything: log 1 = 0
    log_a = _chunked(F.logsigmoid(gate.to(up)) / 16, n, c)
    cum = log_a.cumsum(-1)  # [B, H, N, C]
    end = cum[..., -1:]

    seen = torch.ones(c, c, dtype=torch.bool, device=q.device).tril()
    decay = torch.where(seen, cum[..., :, None] - cum[..., None, :], -torch.inf).exp()
    local = torch.einsum("bhnid,bhnjd->bhnij", q, k) * decay

    writes = torch.einsum("bhnj,bhnjk,bhnjv->nbhkv", (end - cum).exp(), k, v)
    keeps = end.exp().permute(2, 0, 1, 3)[..., None]  # [N, B, H, 1, 1]
    s, before = state.to(up), []
    for keep, write in zip(keeps, writes):
        before.append(s)
        s = keep * s + write
    before = torch.stack(before, dim=2)

    out = local @ v + cum.exp()[..., None] * (q @ before)
    out = out.flatten(2, 3)[:, :, :length]
    return out.to(value.dtype), s.to(state.dtype)
