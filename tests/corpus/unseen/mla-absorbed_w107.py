import math

import torch


def apply_rotary(x, cos, sin):
    x1, x2 = x.chunk(2, dim=-1)
    return torch.cat((x1 * cos - x2 * sin, x2 * cos + x1 * sin), dim=-1)


def rotary_tables(positions, dim):
    inv_freq = 1.0 / 10000 ** (torch.arange(0, dim, 2, device=positions.device).double() / dim)
    freqs = positions[..., None].double() * inv_freq
    return freqs.cos(), freqs.sin()


def cache_entries(latent, key_rope, positions):
    cos, sin = rotary_tables(positions, key_rope.shape[-1])
    k_pe = apply_rotary(key_rope.double(), cos, sin).to(latent.dtype)
    return torch.cat([latent, k_pe], dim=-1)


def absorbed_attention(query_content, query_rope, cache, lengths, kv_up):
    bsz, n_heads, q_len, head_dim = query_content.shape
    rope_dim, kv_lora_rank = query_rope.shape[-1], kv_up.shape[-1]
    kv_len = cache.shape[1]

    wkv_b = kv_up.view(2, n_heads, head_dim, kv_lora_rank)
    w_uk, w_uv = wkv_b[0], wkv_b[1]
    kv_c, k_pe = cache.split([kv_lora_rank, rope_dim], dim=-1)

    q_pos = lengths[:, None] - q_len + torch.arange(q_len, device=cache.device)
    cos, sin = rotary_tables(q_pos, rope_dim)
    q_pe = apply_rotary(query_rope.double(), cos[:, None], sin[:, None]).to(query_rope.dtype)
    scale = 1 / math.sqrt(head_dim + rope_dim)

    acc = torch.promote_types(cache.dtype, torch.float32)
    kv_c, k_pe = kv_c.to(acc), k_pe.to(acc)
    slots = torch.arange(kv_len, device=cache.device)

    outputs = []
    for t in range(q_len):
        q_c = torch.einsum("bhd,hdc->bhc", query_content[:, :, t], w_uk).to(acc)
        scores = torch.einsum("bhc,bkc->bhk", q_c, kv_c)
        scores = scores + torch.einsum("bhr,bkr->bhk", q_pe[:, :, t].to(acc), k_pe)
        visible = slots <= q_pos[:, t, None]
        scores = (scores * scale).masked_fill(~visible[:, None], -torch.inf)
        ctx = torch.einsum("bhk,bkc->bhc", scores.softmax(-1), kv_c)
        outputs.append(torch.einsum("bhc,hdc->bhd", ctx.to(kv_up.dtype), w_uv))
    return torch.stack(outputs, dim=2)
