import torch


def flash_attention(query, key, value, block_size, causal=False):
    """Tiles over keys; each tile is merged by its log-sum-exp (as in ring attention)."""
    wide = torch.promote_types(query.dtype, torch.float32)
    q = query.to(wide) * query.size(-1) ** -0.5
    length = q.size(2)

    out = torch.zeros_like(q)
    lse = q.new_full(q.shape[:3], float("-inf"))
    start = 0
    for k, v in zip(key.split(block_size, 2), value.split(block_size, 2)):
        # with causal the queries before this tile see nothing of it
        first = start if causal else 0
        s = q[:, :, first:] @ k.to(wide).transpose(2, 3)
        if causal:
            n = min(k.size(2), length - first)
            hide = torch.ones(n, k.size(2), dtype=torch.bool, device=q.device).triu(1)
            s[:, :, :n].masked_fill_(hide, float("-inf"))
        tile_lse = s.logsumexp(-1)
        new = torch.logaddexp(lse[:, :, first:], tile_lse)
        tile_out = torch.exp(s - new[..., None]) @ v.to(wide)
        keep = torch.exp(lse[:, :, first:] - new)[..., None]
        out[:, :, first:] = out[:, :, first:] * keep + tile_out
        lse[:, :, first:] = new
        start += k.size(2)
    return out.to(query.dtype)
