import torch


def apply_rotary_emb(x, positions):
    dtype = torch.promote_types(x.dtype, torch.float32)
    dim = x.shape[-1]
    inv_freq = 1.0 / (10000 ** (torch.arange(0, dim, 2, dtype=dtype, device=x.device) / dim))
    freqs = positions.to(dtype)[..., None] * inv_freq
    cos, sin = freqs.cos(), freqs.sin()
    x1, x2 = x.to(dtype).chunk(2, dim=-1)
    y1 = x1 * cos - x2 * sin
    y2 = x2 * cos + x1 * sin
    return torch.cat([y1, y2], dim=-1).to(x.dtype)


def cache_entries(kv, k_pe, positions):
    k_pe = apply_rotary_emb(k_pe, positions)
    return torch.cat([kv, k_pe], dim=-1)


def absorbed_attention(q_nope, q_pe, kv_cache, lengths, wkv_b):
    bsz, n_heads, seqlen, nope_dim = q_nope.shape
    rope_dim = q_pe.shape[-1]
    rank = wkv_b.shape[-1]
    softmax_scale = (nope_dim + rope_dim) ** -0.5
    c_cache, pe_cache = torch.split(kv_cache, [rank, rope_dim], dim=-1)
    positions = lengths[:, None] - seqlen + torch.arange(seqlen, device=lengths.device)
    q_pe = apply_rotary_emb(q_pe, positions[:, None])
    wkv_b = wkv_b.view(n_heads, 2 * nope_dim, rank)
    q_nope = torch.einsum("bhsd,hdc->bhsc", q_nope, wkv_b[:, :nope_dim])
    content = torch.einsum("bhsc,btc->bhst", q_nope, c_cache)
    rotary = torch.einsum("bhsr,btr->bhst", q_pe, pe_cache)
    scores = (content + rotary) * softmax_scale
    places = torch.arange(kv_cache.shape[1], device=kv_cache.device)
    mask = places > positions[..., None]
    scores = scores.masked_fill(mask[:, None], float("-inf"))
    scores = scores.softmax(dim=-1)
    x = torch.einsum("bhst,btc->bhsc", scores, c_cache)
    return torch.einsum("bhsc,hdc->bhsd", x, wkv_b[:, nope_dim:])
