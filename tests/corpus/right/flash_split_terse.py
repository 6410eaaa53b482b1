# right: flash
import torch


def flash_attention(q, k, v, block_size, causal=False):
    m, l, o = q.new_full((*q.shape[:-1], 1), -torch.inf), 0.0, 0.0
    i, j = torch.arange(q.size(-2), device=q.device)[:, None], 0
    for kb, vb in zip(k.split(block_size, -2), v.split(block_size, -2)):
        s = q @ kb.mT * q.size(-1) ** -0.5
        if causal:
            s = s.masked_fill(torch.arange(j, j + kb.size(-2), device=q.device) > i, -torch.inf)
        n = s.amax(-1, True).maximum(m)
        p, c = (s - n).exp(), (m - n).exp()
        m, l, o, j = n, l * c + p.sum(-1, True), o * c + p @ vb, j + kb.size(-2)
    return o / l
