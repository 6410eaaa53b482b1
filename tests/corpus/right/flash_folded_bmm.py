# right: flash
import math

import torch


def flash_attention(query, key, value, block_size, causal=False):
    bsz, n_head, n, d = query.shape
    q, k, v = (x.reshape(bsz * n_head, n, d) for x in (query, key, value))
    chunks = []
    for qs in range(0, n, block_size):
        qe = min(qs + block_size, n)
        q_blk = q[:, qs:qe]
        m = torch.full((bsz * n_head, qe - qs, 1), -1e4 if q.dtype is torch.float16 else -1e9, dtype=q.dtype, device=q.device)
        z = torch.zeros_like(m)
        o = torch.zeros_like(q_blk)
        last = qe if causal else n
        for ks in range(0, last, block_size):
            ke = min(ks + block_size, n)
            s = torch.bmm(q_blk, k[:, ks:ke].transpose(1, 2)).mul_(1 / math.sqrt(d))
            if causal and ke > qs:
                # only tiles on the diagonal need a mask
                seen = torch.ones(qe - qs, ke - ks, dtype=torch.bool, device=q.device).tril(qs - ks)
                s.masked_fill_(seen.logical_not(), -float("inf"))
            m_old, m = m, torch.maximum(m, s.amax(2, keepdim=True))
            p = torch.exp(s - m)
            shrink = torch.exp(m_old - m)
            z = z * shrink + p.sum(2, keepdim=True)
            o = torch.baddbmm(o * shrink, p, v[:, ks:ke])
        chunks.append(o / z)
    return torch.cat(chunks, dim=1).view(bsz, n_head, n, d)
