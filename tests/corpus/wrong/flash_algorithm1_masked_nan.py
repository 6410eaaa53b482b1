# wrong: flash masked-tile-nan line 24
import torch


def flash_attention(query, key, value, block_size, causal=False):
    N, d = query.shape[-2], query.shape[-1]
    O = torch.zeros_like(query)
    l = query.new_zeros(query.shape[:-1])
    m = query.new_full(query.shape[:-1], float("-inf"))
    for j in range(0, N, block_size):
        Kj, Vj = key[..., j:j + block_size, :], value[..., j:j + block_size, :]
        for i in range(0, N, block_size):
            Qi = query[..., i:i + block_size, :]
            Oi = O[..., i:i + block_size, :]
            li = l[..., i:i + block_size]
            mi = m[..., i:i + block_size]
            Sij = torch.einsum("bhqd,bhkd->bhqk", Qi, Kj) * d ** -0.5
            if causal:
                q_pos = torch.arange(i, i + Qi.shape[-2], device=query.device)
                k_pos = torch.arange(j, j + Kj.shape[-2], device=query.device)
                Sij = Sij.masked_fill(q_pos[:, None] < k_pos[None, :], float("-inf"))
            m_tilde = Sij.amax(-1)
            # relative to the tile's own maximum, as in the paper
            P_tilde = torch.exp(Sij - m_tilde[..., None])
            l_tilde = P_tilde.sum(-1)
            m_new = torch.maximum(mi, m_tilde)
            l_new = torch.exp(mi - m_new) * li + torch.exp(m_tilde - m_new) * l_tilde
            left = (torch.exp(mi - m_new) * li)[..., None] * Oi
            right = torch.exp(m_tilde - m_new)[..., None] * (P_tilde @ Vj)
            O[..., i:i + block_size, :] = (left + right) / l_new[..., None]
            l[..., i:i + block_size] = l_new
            m[..., i:i + block_size] = m_new
    return O
