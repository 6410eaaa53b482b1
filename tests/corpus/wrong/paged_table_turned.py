# wrong: paged table-wrong-axis line 12
import torch


def paged_attention(query, key_pool, value_pool, block_table, lengths):
    batch, heads, dim = query.shape
    block_size = key_pool.shape[1]
    groups = key_pool.shape[2]
    blocks = block_table.shape[1]
    capacity = blocks * block_size
    step = torch.arange(capacity, device=query.device)
    which = block_table.view(blocks, batch)[step // block_size].t()
    keys = key_pool[which, step % block_size]
    values = value_pool[which, step % block_size]
    shaped = query.view(batch, groups, heads // groups, dim)
    score = torch.einsum("bgrd,bcgd->bgrc", shaped, keys) / dim**0.5
    outside = (step >= lengths.unsqueeze(-1)).view(batch, 1, 1, capacity)
    weight = score.masked_fill(outside, -float("inf")).softmax(dim=3)
    return torch.einsum("bgrc,bcgd->bgrd", weight, values).reshape(batch, heads, dim)
