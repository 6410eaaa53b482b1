import torch


@torch.no_grad()
def flash_backward(query, key, value, output, lse, grad_output, block_size, causal=False):
    """FlashAttention-2, algorithm 2: outer loop over key tiles j, inner loop over query tiles i."""
    n, d = query.shape[-2:]
    scale = d**-0.5
    wide = torch.promote_types(query.dtype, torch.float32)
    Q, K, V, O, L, dO = (t.to(wide) for t in (query, key, value, output, lse, grad_output))
    D = (dO * O).sum(-1)
    dQ = torch.zeros_like(Q)
    dK, dV = torch.empty_like(K), torch.empty_like(V)
    cuts = [slice(a, min(a + block_size, n)) for a in range(0, n, block_size)]
    for j, cols in enumerate(cuts):
        K_j, V_j = K[:, :, cols], V[:, :, cols]
        dK_j, dV_j = torch.zeros_like(K_j), torch.zeros_like(V_j)
        for i, rows in enumerate(cuts):
            if causal and i < j:
                continue                                   # all of these keys come later
            Q_i, dO_i = Q[:, :, rows], dO[:, :, rows]
            S = Q_i @ K_j.mT * scale - L[:, :, rows, None]
            if causal and i == j:
                m = S.size(-1)
                S = S.masked_fill(torch.ones(m, m, dtype=torch.bool, device=S.device).triu(1), -torch.inf)
            P = S.exp()
            dV_j += P.mT @ dO_i
            dS = P * (dO_i @ V_j.mT - D[:, :, rows, None]) * scale
            dQ[:, :, rows] += dS @ K_j
            dK_j += dS.mT @ Q_i
        dK[:, :, cols], dV[:, :, cols] = dK_j, dV_j
    return dQ.to(query.dtype), dK.to(key.dtype), dV.to(value.dtype)
