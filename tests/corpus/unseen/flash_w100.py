import torch


def flash_attention(query, key, value, block_size, causal=False):
    N, d = query.shape[2], query.shape[3]
    scale = d**-0.5
    outputs = []
    for qs in range(0, N, block_size):
        Q = query[:, :, qs : qs + block_size] * scale
        rows = torch.arange(qs, qs + Q.shape[2], device=query.device)
        m = l = acc = None
        stop = qs + Q.shape[2] if causal else N
        for ks in range(0, stop, block_size):
            K = key[:, :, ks : ks + block_size]
            V = value[:, :, ks : ks + block_size]
            S = torch.einsum("bhid,bhjd->bhij", Q, K)
            if causal:
                cols = torch.arange(ks, ks + K.shape[2], device=query.device)
                S = S.masked_fill(rows[:, None] < cols[None, :], float("-inf"))
            m_new = S.max(dim=-1).values
            P = torch.exp(S - m_new[..., None])
            if m is None:
                l, acc = P.sum(-1), P @ V
            else:
                alpha = torch.exp(m - m_new)
                l = alpha * l + P.sum(-1)
                acc = alpha[..., None] * acc + P @ V
            m = m_new
        outputs.append(acc / l[..., None])
    return torch.cat(outputs, dim=2)
