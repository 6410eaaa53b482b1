import torch


def paged_attention(query, key_pool, value_pool, block_table, lengths):
    b, h, d = query.shape
    bs, g = key_pool.shape[1:3]
    n = block_table.shape[1] * bs
    live = (torch.arange(n, device=query.device) < lengths.to(query.device)[:, None])
    live = live.view(b, n, 1, 1)
    idx = block_table.reshape(-1).long()
    k = key_pool.index_select(0, idx).view(b, n, g, d).masked_fill_(~live, 0)
    v = value_pool.index_select(0, idx).view(b, n, g, d).masked_fill_(~live, 0)
    q = query.reshape(b, g, h // g, d)
    s = torch.matmul(q.mul(d ** -0.5), k.permute(0, 2, 3, 1))
    p = s.softmax(-1)
    return torch.matmul(p, v.permute(0, 2, 1, 3)).reshape(b, h, d)
