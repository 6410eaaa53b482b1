# wrong: flash last-block-dropped line 11
# fair: last-block-dropped 11, 15
import math

import torch


def flash_attention(query, key, value, block_size, causal=False):
    B, H, N, d = query.shape
    block_size = min(block_size, N)
    n_blocks = N // block_size
    m = query.new_full((B, H, N, 1), -math.inf)
    l = query.new_zeros((B, H, N, 1))
    O = query.new_zeros((B, H, N, d))
    for j in range(n_blocks):
        s = slice(j * block_size, (j + 1) * block_size)
        S = query @ key[:, :, s].mT / math.sqrt(d)
        if causal:
            q_idx = torch.arange(N, device=query.device)[:, None]
            k_idx = torch.arange(j * block_size, (j + 1) * block_size, device=query.device)[None]
            S = S.masked_fill(k_idx > q_idx, -math.inf)
        m_new = torch.maximum(m, S.max(-1, keepdim=True)[0])
        P = torch.exp(S - m_new)
        c = torch.exp(m - m_new)
        l = l * c + P.sum(-1, keepdim=True)
        O = O * c + P @ value[:, :, s]
        m = m_new
    return O / l
