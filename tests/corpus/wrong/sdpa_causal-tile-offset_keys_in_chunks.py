# wrong: sdpa causal-tile-offset line 17
import torch


def attention(query, key, value, mask=None, causal=False, chunk: int = 100):
    n, m = query.shape[2], key.shape[2]
    if mask is not None:
        mask = mask.expand(query.shape[0], query.shape[1], n, m)
    best = query.new_full((*query.shape[:3], 1), -1e30)
    total = torch.zeros_like(best)
    out = torch.zeros(*query.shape[:3], value.shape[-1], dtype=query.dtype, device=query.device)
    where = torch.arange(m - n, m, device=query.device)[:, None]
    for lo in range(0, m, chunk):
        k, v = key[:, :, lo : lo + chunk], value[:, :, lo : lo + chunk]
        s = query @ k.mT * query.shape[-1] ** -0.5
        if causal:
            place = torch.arange(k.shape[2], device=query.device)
            s = s.masked_fill(place > where, -1e30)
        if mask is not None:
            s = s.masked_fill(mask[..., lo : lo + chunk] == 0, -1e30)
        top = torch.maximum(best, s.amax(-1, keepdim=True))
        e = (s - top).exp()
        fade = (best - top).exp()
        total = total * fade + e.sum(-1, keepdim=True)
        out = out * fade + e @ v
        best = top
    return out / total
