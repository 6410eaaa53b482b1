import torch


def paged_attention(query, key_pool, value_pool, block_table, lengths):
    batch, heads, head_dim = query.shape
    block_size, kv_heads = key_pool.shape[1:3]
    wide = torch.promote_types(query.dtype, torch.float32)
    table, sizes = block_table.long(), lengths.tolist()

    rows = []
    for b in range(batch):
        t = torch.arange(sizes[b], device=query.device)
        block, place = table[b, torch.div(t, block_size, rounding_mode="floor")], t % block_size
        k = key_pool[block, place].to(wide)                     # tokens, kv_heads, head_dim
        v = value_pool[block, place].to(wide)
        q = query[b].to(wide).view(kv_heads, -1, head_dim)      # kv_heads, group, head_dim
        s = torch.einsum("gqd,tgd->gqt", q, k) * head_dim ** -0.5
        rows.append(torch.einsum("gqt,tgd->gqd", s.softmax(-1), v).reshape(heads, head_dim))
    return torch.stack(rows).to(query.dtype)
