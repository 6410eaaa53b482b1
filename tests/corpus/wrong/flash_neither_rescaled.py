# wrong: flash sum-not-rescaled line 15, output-not-rescaled line 16
import torch


def flash_attention(q, k, v, block_size, causal=False):
    m, l, o = q.new_full((*q.shape[:-1], 1), -torch.inf), 0.0, 0.0
    i, j = torch.arange(q.size(-2), device=q.device)[:, None], 0
    for kb, vb in zip(k.split(block_size, -2), v.split(block_size, -2)):
        s = q @ kb.mT * q.size(-1) ** -0.5
        if causal:
            s = s.masked_fill(torch.arange(j, j + kb.size(-2), device=q.device) > i, -torch.inf)
        m = s.amax(-1, True).maximum(m)
        p = (s - m).exp()
        j += kb.size(-2)
        l = l + p.sum(-1, True)
        o = o + p @ vb
    return o / l
