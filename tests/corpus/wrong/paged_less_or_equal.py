# wrong: paged lengths-off-by-one line 14
import torch
from torch import nn


def paged_attention(query, key_cache, value_cache, block_tables, context_lens):
    bsz, n_heads, head_size = query.size()
    n_kv_heads = key_cache.size(2)
    keys = key_cache[block_tables].view(bsz, -1, n_kv_heads, head_size)
    vals = value_cache[block_tables].view(bsz, -1, n_kv_heads, head_size)
    q = query.view(bsz, n_kv_heads, n_heads // n_kv_heads, head_size)
    scores = torch.matmul(q, keys.permute(0, 2, 3, 1)) / (head_size**0.5)
    idx = torch.arange(keys.size(1), device=query.device)
    mask = idx[None, :] <= context_lens[:, None]
    scores = scores.masked_fill(mask[:, None, None, :].logical_not(), torch.finfo(scores.dtype).min)
    probs = nn.functional.softmax(scores, dim=-1)
    return torch.matmul(probs, vals.permute(0, 2, 1, 3)).reshape(bsz, n_heads, head_size)
