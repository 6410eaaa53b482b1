import torch
import torch.nn.functional as F


def gather(pool, block_table):
    pages = pool[block_table]
    return pages.flatten(1, 2)


def paged_attention(query, key_pool, value_pool, block_table, lengths):
    batch, heads, head_dim = query.shape
    kv_heads = key_pool.shape[2]
    k = gather(key_pool, block_table)
    v = gather(value_pool, block_table)
    k = k.permute(0, 2, 1, 3)
    v = v.permute(0, 2, 1, 3)
    q = query.view(batch, kv_heads, heads // kv_heads, head_dim)
    scores = torch.matmul(q, k.transpose(2, 3)) * head_dim**-0.5
    steps = torch.arange(k.shape[2], device=query.device)
    valid = steps[None, :] < lengths[:, None]
    scores = scores.masked_fill(~valid[:, None, None, :], torch.finfo(scores.dtype).min)
    probs = F.softmax(scores, dim=-1)
    return torch.matmul(probs, v).reshape(batch, heads, head_dim)
