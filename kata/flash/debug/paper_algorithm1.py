import torch


def flash_attention(query, key, value, block_size, causal=False):
    N, d = query.shape[-2], query.shape[-1]
    Br = Bc = block_size
    O = torch.zeros_like(query)
    l = query.new_zeros(query.shape[:-1])
    m = query.new_full(query.shape[:-1], float("-inf"))
    for j in range(0, N, Bc):
        Kj, Vj = key[..., j : j + Bc, :], value[..., j : j + Bc, :]
        for i in range(0, N, Br):
            Qi = query[..., i : i + Br, :]
            Oi, li, mi = O[..., i : i + Br, :], l[..., i : i + Br], m[..., i : i + Br]
            Sij = torch.einsum("bhqd,bhkd->bhqk", Qi, Kj) * d**-0.5
            if causal:
                q_pos = torch.arange(i, i + Qi.shape[-2], device=query.device)
                k_pos = torch.arange(j, j + Kj.shape[-2], device=query.device)
                Sij = torch.where(q_pos[:, None] >= k_pos[None, :], Sij, torch.finfo(Sij.dtype).min)
            m_tilde = Sij.amax(-1)
            P_tilde = torch.exp(Sij - m_tilde[..., None])
            l_tilde = P_tilde.sum(-1)
            m_new = torch.maximum(mi, m_tilde)
            l_new = torch.exp(mi - m_new) * li + torch.exp(m_tilde - m_new) * l_tilde
            left = (torch.exp(mi - m_new) * li)[..., None] * Oi
            right = torch.exp(m_tilde - m_new)[..., None] * (P_tilde @ Vj)
            O[..., i : i + Br, :] = (left + right) / l_new[..., None]
            l[..., i : i + Br] = l_new
            m[..., i : i + Br] = m_new
    return O
