# right: paged
import torch
import torch.nn.functional as F


def slot_mapping(block_table, block_size, max_len):
    t = torch.arange(max_len, device=block_table.device)
    return block_table[:, t.div(block_size, rounding_mode="floor")] * block_size + t.remainder(block_size)


def paged_attention(query, key_cache, value_cache, block_tables, seq_lens):
    num_blocks, block_size, kv_heads, head_size = key_cache.shape
    longest = int(seq_lens.max())
    slots = slot_mapping(block_tables, block_size, longest)
    keys = F.embedding(slots, key_cache.reshape(num_blocks * block_size, -1)).unflatten(-1, (kv_heads, head_size))
    values = F.embedding(slots, value_cache.reshape(num_blocks * block_size, -1)).unflatten(-1, (kv_heads, head_size))
    share = query.shape[1] // kv_heads
    grouped = query.unflatten(1, (kv_heads, share)) * head_size**-0.5
    logits = torch.einsum("bgrd,btgd->bgrt", grouped, keys)
    inside = torch.arange(longest, device=slots.device) < seq_lens.unsqueeze(1)
    logits = torch.where(inside[:, None, None, :], logits, torch.finfo(logits.dtype).min)
    return torch.einsum("bgrt,btgd->bgrd", F.softmax(logits, dim=-1), values).flatten(1, 2)
