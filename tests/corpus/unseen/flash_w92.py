import torch


def flash_attention(query, key, value, block_size, causal=False):
    B, H, N, D = query.shape
    dev = query.device
    tau = D ** -0.5
    Tc = -(-N // block_size)

    O = torch.zeros(B, H, N, D, device=dev, dtype=query.dtype)
    l = torch.zeros(B, H, N, device=dev, dtype=query.dtype)
    m = torch.full((B, H, N), float("-inf"), device=dev, dtype=query.dtype)

    for j in range(Tc):
        lo, hi = j * block_size, min((j + 1) * block_size, N)
        Kj = key[:, :, lo:hi]
        Vj = value[:, :, lo:hi]
        S = torch.einsum("bhnd,bhcd->bhnc", query, Kj) * tau
        if causal:
            row = torch.arange(N, device=dev).unsqueeze(1)
            col = torch.arange(hi - lo, device=dev).unsqueeze(0)
            S = torch.where(col <= row, S, torch.finfo(S.dtype).min)
        m_tile = S.max(dim=-1).values
        m_new = torch.where(m > m_tile, m, m_tile)
        alpha = (m - m_new).exp()
        P = (S - m_new[..., None]).exp()
        l = alpha * l + P.sum(-1)
        O = O * alpha[..., None] + torch.einsum("bhnc,bhcd->bhnd", P, Vj)
        m = m_new
    return O / l[..., None]
