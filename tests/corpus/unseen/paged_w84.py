import math
import torch


def paged_attention(query, key_pool, value_pool, block_table, lengths):
    batch, heads, head_dim = query.shape
    block_size, kv_heads = key_pool.shape[1:3]
    rep = heads // kv_heads
    keys = key_pool[block_table.long()].flatten(1, 2)        # (b, S, kv, d)
    values = value_pool[block_table.long()].flatten(1, 2)
    keys = keys.repeat(1, 1, rep, 1).transpose(1, 2)
    values = values.repeat(1, 1, rep, 1).transpose(1, 2)
    scores = torch.matmul(query[:, :, None], keys.transpose(2, 3)).squeeze(2) / math.sqrt(head_dim)
    valid = torch.arange(scores.shape[-1], device=query.device) < lengths.unsqueeze(1)
    scores = scores.masked_fill(~valid[:, None], float("-inf"))
    return torch.matmul(scores.softmax(-1).unsqueeze(2), values).squeeze(2)
