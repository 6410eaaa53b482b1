import math
import torch


def paged_attention(query, key_pool, value_pool, block_table, lengths):
    batch, heads, head_dim = query.shape
    kv_heads = key_pool.shape[2]
    k = key_pool[block_table.long()]
    v = value_pool[block_table.long()]
    k = k.reshape(batch, -1, kv_heads, head_dim).transpose(1, 2)
    v = v.reshape(batch, -1, kv_heads, head_dim).transpose(1, 2)
    k = k.repeat_interleave(heads // kv_heads, dim=1)
    v = v.repeat_interleave(heads // kv_heads, dim=1)
    scores = (query[:, :, None] @ k.transpose(-2, -1)) / math.sqrt(head_dim)
    pos = torch.arange(k.shape[2], device=query.device)
    valid = pos[None, :] <= lengths[:, None]
    scores = scores.masked_fill(~valid[:, None, None, :], float("-inf"))
    return (scores.softmax(-1) @ v).squeeze(2)
