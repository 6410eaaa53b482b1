# right: paged
"""As a kernel would: no copy of the cache, a running softmax over the blocks of each row."""
import math
import torch


def paged_attention(query, key_pool, value_pool, block_table, lengths):
    n_seq, n_head, d = query.shape
    bs, n_kv = key_pool.shape[1], key_pool.shape[2]
    g = n_head // n_kv
    out = torch.empty_like(query)
    for b in range(n_seq):
        left = lengths[b].item()
        q = query[b].float().view(n_kv, g, d) if query.dtype != torch.float64 else query[b].view(n_kv, g, d)
        m = torch.full((n_kv, g, 1), -torch.inf, dtype=q.dtype, device=q.device)
        l = torch.zeros_like(m)
        acc = torch.zeros_like(q)
        for page in block_table[b].tolist():
            if left <= 0:
                break
            n = min(left, bs)
            k = key_pool[page, :n].to(q.dtype).permute(1, 0, 2)
            v = value_pool[page, :n].to(q.dtype).permute(1, 0, 2)
            s = torch.matmul(q, k.mT) / math.sqrt(d)
            new = torch.maximum(m, s.max(-1, keepdim=True).values)
            shrink = torch.exp(m - new)
            p = torch.exp(s - new)
            l = l * shrink + p.sum(-1, keepdim=True)
            acc = acc * shrink + p @ v
            m = new
            left -= n
        out[b] = (acc / l).reshape(n_head, d).to(out.dtype)
    return out
