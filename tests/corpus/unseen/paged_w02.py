# attn-kata: paged
import math

import torch
from torch import Tensor


def paged_attention(
    query: Tensor, key_pool: Tensor, value_pool: Tensor, block_table: Tensor, lengths: Tensor
) -> Tensor:
    batch, heads, head_dim = query.shape
    _, block_size, kv_heads, _ = key_pool.shape
    table = block_table.long()

    # (batch, max_blocks, block_size, kv_heads, head_dim) -> (batch, tokens, kv_heads, head_dim)
    keys = key_pool[table].transpose(1, 2).flatten(1, 2)
    values = value_pool[table].transpose(1, 2).flatten(1, 2)

    q = query.view(batch, kv_heads, heads // kv_heads, head_dim)
    scores = torch.einsum("bgrd,btgd->bgrt", q, keys) / math.sqrt(head_dim)
    tokens = torch.arange(keys.shape[1], device=query.device)
    behind = tokens[None, :] >= lengths[:, None]
    scores = scores.masked_fill(behind[:, None, None, :], -math.inf)
    context = torch.einsum("bgrt,btgd->bgrd", scores.softmax(-1), values)
    return context.reshape(batch, heads, head_dim)
