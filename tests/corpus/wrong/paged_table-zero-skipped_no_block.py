# wrong: paged table-zero-skipped line 18
import torch

NULL_BLOCK = 0  # reserved by the allocator, as in vLLM


def paged_attention(query, key_pool, value_pool, block_table, lengths):
    n_seq, n_head, d = query.shape
    bs, n_kv = key_pool.size(1), key_pool.size(2)
    table = block_table.to(torch.int64)

    k = key_pool[table].flatten(1, 2)      # n_seq, tokens, n_kv, d
    v = value_pool[table].flatten(1, 2)
    q = query.unflatten(1, (n_kv, n_head // n_kv)) / d**0.5

    slot = torch.arange(k.size(1), device=query.device)
    live = slot < lengths.unsqueeze(-1)
    live &= table.ne(NULL_BLOCK).repeat_interleave(bs, dim=-1)

    att = torch.einsum("bgrd,btgd->bgrt", q, k)
    att = att.masked_fill(~live[:, None, None], torch.finfo(att.dtype).min)
    att = att.softmax(-1)
    return torch.einsum("bgrt,btgd->bgrd", att, v).flatten(1, 2)
