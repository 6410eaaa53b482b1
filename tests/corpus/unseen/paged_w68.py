import math
import torch


def paged_attention(query, key_pool, value_pool, block_table, lengths):
    batch_size, num_heads, head_dim = query.shape
    num_blocks, block_size, num_kv_heads, _ = key_pool.shape
    max_blocks = block_table.shape[1]
    max_tokens = max_blocks * block_size
    group_size = num_heads // num_kv_heads

    # gather whole blocks: (batch, max_blocks, block_size, kv_heads, head_dim)
    table = block_table.long()
    key_blocks = key_pool[table]
    value_blocks = value_pool[table]

    # glue the blocks together: (batch, max_tokens, kv_heads, head_dim)
    keys = key_blocks.reshape(batch_size, max_tokens, num_kv_heads, head_dim)
    values = value_blocks.reshape(batch_size, max_tokens, num_kv_heads, head_dim)

    # heads in front, and one key head for each query head
    keys = keys.transpose(1, 2)
    values = values.transpose(1, 2)
    keys = keys.repeat_interleave(group_size, dim=1)
    values = values.repeat_interleave(group_size, dim=1)

    one_query = query.unsqueeze(2)
    scores = torch.matmul(one_query, keys.transpose(-1, -2)).squeeze(2)
    scores = scores / math.sqrt(head_dim)

    token_numbers = torch.arange(max_tokens, device=query.device)
    length_column = lengths.to(query.device).unsqueeze(1)
    visible = token_numbers.unsqueeze(0) <= length_column
    visible = visible.unsqueeze(1)
    scores = scores.masked_fill(~visible, float("-inf"))

    weights = torch.softmax(scores, dim=-1)
    context = torch.matmul(weights.unsqueeze(2), values).squeeze(2)
    return context
