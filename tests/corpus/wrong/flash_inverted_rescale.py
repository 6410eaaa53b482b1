# wrong: flash rescale-inverted line 24
import math
import torch


def flash_attention(query, key, value, block_size, causal=False):
    N, d = query.shape[-2:]
    O = torch.zeros_like(query)
    l = torch.zeros_like(query[..., :1])
    m = None
    pos = torch.arange(N, device=query.device)
    for j in range(0, N, block_size):
        S = query @ key[..., j:j + block_size, :].mT / math.sqrt(d)
        if causal:
            S = S.masked_fill(pos[j:j + block_size] > pos[:, None], float("-inf"))
        top = S.amax(-1, keepdim=True)
        if m is None:
            m = top
            P = (S - m).exp()
            l = P.sum(-1, keepdim=True)
            O = P @ value[..., j:j + block_size, :]
            continue
        m_new = torch.maximum(m, top)
        factor = (m_new - m).exp()
        P = (S - m_new).exp()
        l = l * factor + P.sum(-1, keepdim=True)
        O = O * factor + P @ value[..., j:j + block_size, :]
        m = m_new
    return O / l
