# wrong: mla-absorbed tensor-too-large line 20
import torch


def rope(x, positions):
    d = x.shape[-1]
    inv = 10000.0 ** (-torch.arange(0, d, 2, device=x.device).double() / d)
    ang = positions.double().unsqueeze(-1) * inv
    lo, hi = x.double().chunk(2, -1)
    return torch.cat([lo * ang.cos() - hi * ang.sin(), hi * ang.cos() + lo * ang.sin()], -1).to(x.dtype)


def cache_entries(latent, key_rope, positions):
    return torch.cat([latent, rope(key_rope, positions)], -1)


def absorbed_attention(query_content, query_rope, cache, lengths, kv_up):
    b, h, q, d = query_content.shape
    r = query_rope.shape[-1]
    keys = cache.unsqueeze(1).repeat(1, h, 1, 1)
    values = keys[..., :-r]
    w = kv_up.view(h, 2, d, -1)
    pos = lengths[:, None] - q + torch.arange(q, device=cache.device)
    queries = torch.cat([query_content @ w[:, 0], rope(query_rope, pos[:, None])], -1)
    scores = queries @ keys.transpose(-1, -2) * (d + r) ** -0.5
    mask = torch.arange(cache.shape[1], device=cache.device) > pos[:, None, :, None]
    probs = scores.masked_fill(mask, float("-inf")).softmax(-1)
    return probs @ values @ w[:, 1].transpose(-1, -2)
