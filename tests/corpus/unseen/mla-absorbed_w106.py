import torch


def precompute_freqs(dim, end, device, theta=10000.0):
    inv_freq = theta ** -(torch.arange(dim // 2, device=device).float() * 2 / dim)
    t = torch.arange(end, device=device).float()
    freqs = torch.outer(t, inv_freq)
    return freqs.cos(), freqs.sin()


def apply_rotary_emb(x, positions):
    # always in full precision, positions do not fit into bf16
    x = x.float()
    cos, sin = precompute_freqs(x.shape[-1], int(positions.max()) + 1, x.device)
    cos, sin = cos[positions.long()], sin[positions.long()]
    x1, x2 = torch.tensor_split(x, 2, dim=-1)
    return torch.cat([x1 * cos - x2 * sin, x1 * sin + x2 * cos], dim=-1)


def cache_entries(latent, key_rope, positions):
    return torch.cat([latent, apply_rotary_emb(key_rope, positions).to(latent.dtype)], dim=-1)


def absorbed_attention(query_content, query_rope, cache, lengths, kv_up):
    bsz, n_local_heads, seqlen, qk_nope_head_dim = query_content.shape
    qk_rope_head_dim = query_rope.shape[-1]
    kv_lora_rank = cache.shape[-1] - qk_rope_head_dim
    softmax_scale = (qk_nope_head_dim + qk_rope_head_dim) ** -0.5
    work = torch.promote_types(cache.dtype, torch.float32)

    wkv_b = kv_up.view(n_local_heads, -1, kv_lora_rank)
    out = []
    for b in range(bsz):
        end_pos = int(lengths[b])
        start_pos = end_pos - seqlen
        positions = torch.arange(start_pos, end_pos, device=cache.device)
        kv_cache, pe_cache = cache[b, :end_pos].to(work).split([kv_lora_rank, qk_rope_head_dim], dim=-1)
        mask = torch.full((seqlen, end_pos), float("-inf"), device=cache.device).triu_(start_pos + 1)
        x = []
        for h in range(n_local_heads):
            w = wkv_b[h].to(work)
            q_nope = torch.einsum("sd,dc->sc", query_content[b, h].to(work), w[:qk_nope_head_dim])
            q_pe = apply_rotary_emb(query_rope[b, h], positions)
            scores = torch.einsum("sc,tc->st", q_nope, kv_cache)
            scores = (scores + torch.einsum("sr,tr->st", q_pe, pe_cache)) * softmax_scale
            scores = (scores + mask).softmax(dim=-1)
            y = torch.einsum("st,tc->sc", scores, kv_cache)
            x.append(torch.einsum("sc,dc->sd", y, w[-qk_nope_head_dim:]))
        out.append(torch.stack(x))
    return torch.stack(out).to(query_content.dtype)
