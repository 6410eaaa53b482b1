import torch


def _places(num_blocks, block_size, block_table, lengths):
    """For each place of the pool: which sequence it belongs to, -1 for none."""
    device = block_table.device
    batch, max_blocks = block_table.shape
    owner = torch.full((num_blocks, block_size), -1, device=device)
    inside = torch.arange(block_size, device=device)
    for b in range(batch):
        length = int(lengths[b])
        for i in range(max_blocks):
            left = length - i * block_size
            if left <= 0:
                break
            owner[block_table[b, i]][inside < left] = b
    return owner.flatten()


def paged_attention(query, key_pool, value_pool, block_table, lengths):
    """The order of a sequence's tokens does not matter to softmax: look at the pool as a whole."""
    batch, heads, dim = query.shape
    num_blocks, block_size, kv_heads, _ = key_pool.shape
    owner = _places(num_blocks, block_size, block_table, lengths)
    seen = owner[None, :] == torch.arange(batch, device=query.device)[:, None]
    keys = key_pool.reshape(-1, kv_heads, dim)
    values = value_pool.reshape(-1, kv_heads, dim)
    q = query.reshape(batch, kv_heads, heads // kv_heads, dim)
    scores = torch.einsum("bgrd,pgd->bgrp", q, keys) * dim ** -0.5
    scores = scores.masked_fill(~seen[:, None, None, :], float("-inf"))
    out = torch.einsum("bgrp,pgd->bgrd", scores.softmax(dim=-1), values)
    return out.reshape(batch, heads, dim)
