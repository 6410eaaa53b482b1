import math
import torch


def rope(x, pos, base=10000.0):
    d = x.shape[-1]
    inv_freq = base ** (-torch.arange(0, d, 2, dtype=torch.float32, device=x.device) / d)
    freqs = pos[..., None].float() * inv_freq
    cos, sin = freqs.cos(), freqs.sin()
    x1, x2 = x.chunk(2, dim=-1)
    return torch.cat((x1 * cos - x2 * sin, x2 * cos + x1 * sin), dim=-1)


def cache_entries(latent, key_rope, positions):
    k = rope(key_rope, positions)
    return torch.cat([latent, k.to(latent.dtype)], dim=-1)


def absorbed_attention(query_content, query_rope, cache, lengths, kv_up):
    out_dtype = query_content.dtype
    acc = torch.float64 if out_dtype == torch.float64 else torch.float32
    qc, qr, cache, kv_up = (t.to(acc) for t in (query_content, query_rope, cache, kv_up))
    B, H, Q, D = qc.shape
    R = kv_up.shape[-1]
    K = cache.shape[1]

    w_uk, w_uv = kv_up.view(H, D, 2, R).unbind(2)
    pos = lengths[:, None] - Q + torch.arange(Q, device=cache.device)

    q_lat = torch.einsum("bhqd,hdr->bhqr", qc, w_uk)
    q_pe = rope(qr, pos[:, None])
    c, k_pe = cache.split([R, cache.shape[-1] - R], dim=-1)
    scores = torch.einsum("bhqr,bkr->bhqk", q_lat, c) + torch.einsum("bhqp,bkp->bhqk", q_pe, k_pe)
    scores = scores / math.sqrt(D + qr.shape[-1])
    hide = torch.arange(K, device=cache.device) > pos[:, None, :, None]
    w = scores.masked_fill(hide, float("-inf")).softmax(-1)
    ctx = torch.einsum("bhqk,bkr->bhqr", w, c)
    return torch.einsum("bhqr,hdr->bhqd", ctx, w_uv).to(out_dtype)
