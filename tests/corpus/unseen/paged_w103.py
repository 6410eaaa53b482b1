import torch


def gather(pool, table):
    """(blocks, size, kv, d) by (b, m) -> (b, kv, m * size, d)"""
    return pool[table.long()].flatten(1, 2).transpose(1, 2)


def paged_attention(query, key_pool, value_pool, block_table, lengths):
    b, h, d = query.shape
    rep = h // key_pool.shape[2]
    k = gather(key_pool, block_table).repeat_interleave(rep, dim=1)
    v = gather(value_pool, block_table).repeat_interleave(rep, dim=1)

    # (b, h, 1, d) @ (b, h, d, n) -> (b, h, n)
    scores = (query[:, :, None] @ k.transpose(-2, -1)).squeeze(2) * d ** -0.5
    token = torch.arange(k.shape[2], device=query.device)
    behind = token[None, :] >= lengths[:, None]
    scores = scores.masked_fill(behind, float("-inf"))
    probs = torch.softmax(scores, dim=-1)
    return (probs[:, :, None] @ v).squeeze(2)
