# wrong: mla-absorbed rope-wrong-pairing line 16
# fair: rope-wrong-pairing 16, 17
import math

import torch


def apply_rotary_emb(x, positions):
    """As in DeepSeek's model.py."""
    dtype = x.dtype
    wide = torch.promote_types(dtype, torch.float32)
    dim = x.shape[-1]
    freqs = 10000.0 ** (-torch.arange(0, dim, 2, dtype=wide, device=x.device) / dim)
    angles = positions.to(wide)[..., None] * freqs
    freqs_cis = torch.polar(torch.ones_like(angles), angles)
    x = torch.view_as_complex(x.to(wide).contiguous().view(*x.shape[:-1], -1, 2))
    return torch.view_as_real(x * freqs_cis).flatten(-2).to(dtype)


def cache_entries(latent, key_rope, positions):
    return torch.cat([latent, apply_rotary_emb(key_rope, positions)], dim=-1)


def absorbed_attention(query_content, query_rope, cache, lengths, kv_up):
    bsz, heads, seqlen, head_dim = query_content.shape
    rope_dim = query_rope.shape[-1]
    rank = kv_up.shape[-1]
    kv_cache, pe_cache = cache[..., :rank], cache[..., rank:]
    positions = lengths[:, None] - seqlen + torch.arange(seqlen, device=cache.device)
    q_pe = apply_rotary_emb(query_rope, positions[:, None])
    wkv_b = kv_up.view(heads, 2 * head_dim, rank)
    q_nope = torch.einsum("bhsd,hdc->bhsc", query_content, wkv_b[:, :head_dim])
    scores = torch.einsum("bhsc,btc->bhst", q_nope, kv_cache)
    scores = (scores + torch.einsum("bhsr,btr->bhst", q_pe, pe_cache)) / math.sqrt(head_dim + rope_dim)
    hidden = torch.arange(cache.shape[1], device=cache.device)[None, None] > positions[..., None]
    scores = scores.masked_fill(hidden[:, None], float("-inf")).softmax(dim=-1)
    x = torch.einsum("bhst,btc->bhsc", scores, kv_cache)
    return torch.einsum("bhsc,hdc->bhsd", x, wkv_b[:, head_dim:])
