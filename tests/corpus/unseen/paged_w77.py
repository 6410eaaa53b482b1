import torch, math


def paged_attention(query, key_pool, value_pool, block_table, lengths):
    num_blocks, block_size, kv_heads, head_dim = key_pool.shape
    batch, heads, _ = query.shape
    group = heads // kv_heads
    outs = []
    for i in range(batch):
        L = lengths[i].item()
        t = torch.arange(L, device=query.device)
        blk = (block_table[i, 0].long() + t // block_size) % num_blocks
        off = t % block_size
        K = key_pool[blk, off]          # (L, kv_heads, head_dim)
        V = value_pool[blk, off]
        q = query[i].view(kv_heads, group, head_dim)
        s = torch.einsum("kgd,lkd->kgl", q, K) / math.sqrt(head_dim)
        p = torch.softmax(s, dim=-1)
        outs.append(torch.einsum("kgl,lkd->kgd", p, V).reshape(heads, head_dim))
    return torch.stack(outs, dim=0)
