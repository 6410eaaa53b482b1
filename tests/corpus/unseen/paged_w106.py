import math

import torch


def paged_attention(query, key_pool, value_pool, block_table, lengths):
    batch, heads, head_dim = query.shape
    _, block_size, kv_heads, _ = key_pool.shape
    max_blocks = block_table.shape[1]
    groups = heads // kv_heads

    # gather every sequence's blocks: (batch, max_blocks * block_size, kv_heads, head_dim)
    table = block_table.long()
    keys = key_pool[table].reshape(batch, max_blocks * block_size, kv_heads, head_dim)
    values = value_pool[table].reshape(batch, max_blocks * block_size, kv_heads, head_dim)

    q = query.view(batch, groups, kv_heads, head_dim)
    scores = torch.einsum("bgkd,btkd->bgkt", q, keys) / math.sqrt(head_dim)

    positions = torch.arange(max_blocks * block_size, device=query.device)
    valid = positions[None, :] < lengths[:, None]
    scores = scores.masked_fill(~valid[:, None, None, :], float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    context = torch.einsum("bgkt,btkd->bgkd", weights, values)
    return context.reshape(batch, heads, head_dim)
