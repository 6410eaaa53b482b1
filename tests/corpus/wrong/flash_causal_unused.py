# wrong: flash causal-missing line 9
# fair: causal-missing 9, 11, 12, 13, 14, 15
import torch


def flash_attention(query, key, value, block_size, causal=False):
    m = torch.full(query.shape[:3], -torch.inf, dtype=query.dtype, device=query.device)
    l, o = torch.zeros_like(m), torch.zeros_like(query)
    for k, v in zip(torch.split(key, block_size, dim=2), torch.split(value, block_size, dim=2)):
        # S = QK^T / sqrt(d)
        s = torch.einsum("bhid,bhjd->bhij", query, k) / query.size(-1) ** 0.5
        m_new = torch.maximum(m, s.max(-1).values)
        p = torch.exp(s - m_new.unsqueeze(-1))
        c = torch.exp(m - m_new)
        l = c * l + p.sum(-1)
        o = c.unsqueeze(-1) * o + torch.einsum("bhij,bhjd->bhid", p, v)
        m = m_new
    return o / l.unsqueeze(-1)
