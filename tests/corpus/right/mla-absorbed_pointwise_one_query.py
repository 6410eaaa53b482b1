# right: mla-absorbed
"""As a kernel does it: one query of one sequence after another, rows of the cache alone."""

import torch


def turn(vector, position):
    """One vector, one position."""
    n = vector.shape[-1] // 2
    at_least = torch.promote_types(vector.dtype, torch.float32)
    rates = torch.tensor([10000.0 ** (-i / n) for i in range(n)], dtype=at_least, device=vector.device)
    angles = rates * position
    left, right = vector[..., :n].to(at_least), vector[..., n:].to(at_least)
    out = (left * angles.cos() - right * angles.sin(), right * angles.cos() + left * angles.sin())
    return torch.cat(out, dim=-1).to(vector.dtype)


def cache_entries(latent, key_rope, positions):
    rows = [
        [torch.cat([c, turn(k, p)]) for c, k, p in zip(cs, ks, ps, strict=True)]
        for cs, ks, ps in zip(latent, key_rope, positions.tolist(), strict=True)
    ]
    return torch.stack([torch.stack(row) for row in rows])


def absorbed_attention(query_content, query_rope, cache, lengths, kv_up):
    out = torch.zeros_like(query_content)
    heads, queries, head_dim = query_content.shape[1:]
    rope_dim = query_rope.shape[-1]
    latent_dim = cache.shape[-1] - rope_dim
    scale = (head_dim + rope_dim) ** 0.5
    up = kv_up.view(heads, 2, head_dim, latent_dim)
    for sample, length in enumerate(lengths.tolist()):
        for query in range(queries):
            position = length - queries + query
            seen = cache[sample, : position + 1]
            content = (query_content[sample, :, query].unsqueeze(1) @ up[:, 0]).squeeze(1)
            rotary = turn(query_rope[sample, :, query], position)
            scores = torch.cat([content, rotary], dim=-1) @ seen.T / scale
            mixed = scores.softmax(dim=-1) @ seen[:, :latent_dim]
            out[sample, :, query] = (up[:, 1] @ mixed.unsqueeze(-1)).squeeze(-1)
    return out
