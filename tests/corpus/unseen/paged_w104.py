import torch


def paged_attention(query, key_pool, value_pool, block_table, lengths):
    size, kv = key_pool.shape[1:3]
    d = query.shape[-1]
    out = []
    for q, table, n in zip(query, block_table, lengths.tolist()):
        ids = table[: (n + size - 1) // size].tolist()
        tail = n % size
        parts = [(key_pool[i], value_pool[i]) for i in ids[:-1]]
        parts.append((key_pool[ids[-1]][:tail], value_pool[ids[-1]][:tail]))
        k = torch.cat([p[0] for p in parts])
        v = torch.cat([p[1] for p in parts])
        qg = q.view(kv, -1, d)
        s = torch.einsum("kgd,tkd->kgt", qg, k) * d ** -0.5
        out.append(torch.einsum("kgt,tkd->kgd", s.softmax(-1), v).flatten(0, 1))
    return torch.stack(out)
