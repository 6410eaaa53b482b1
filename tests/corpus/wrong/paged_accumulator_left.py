# wrong: paged output-not-rescaled line 29
import torch


def paged_attention(query, key_pool, value_pool, block_table, lengths):
    B, H, D = query.shape
    block_size, G = key_pool.shape[1], key_pool.shape[2]
    group = H // G
    wide = torch.float64 if query.dtype == torch.float64 else torch.float32
    out = torch.empty_like(query)

    for b in range(B):
        q = query[b].to(wide).view(G, group, D) * D ** -0.5
        n = int(lengths[b])
        m = torch.full((G, group, 1), float("-inf"), dtype=wide, device=query.device)
        l = torch.zeros_like(m)
        acc = torch.zeros_like(q)
        # walk over this sequence's blocks
        for i in range((n + block_size - 1) // block_size):
            block = int(block_table[b, i])
            used = min(block_size, n - i * block_size)
            k = key_pool[block, :used].to(wide).permute(1, 2, 0)    # G, D, used
            v = value_pool[block, :used].to(wide).transpose(0, 1)   # G, used, D
            s = q @ k
            m_new = torch.maximum(m, s.amax(-1, keepdim=True))
            alpha = torch.exp(m - m_new)
            p = torch.exp(s - m_new)
            l = l * alpha + p.sum(-1, keepdim=True)
            acc = acc + p @ v
            m = m_new
        out[b] = (acc / l).view(H, D).to(query.dtype)
    return out
