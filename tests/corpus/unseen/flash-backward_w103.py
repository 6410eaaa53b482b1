import torch


def flash_backward(query, key, value, output, lse, grad_output, block_size, causal=False):
    N, d = query.shape[-2:]
    scale = d ** -0.5
    wide = torch.promote_types(query.dtype, torch.float32)
    Q, K, V, O, L, dO = (t.to(wide) for t in (query, key, value, output, lse, grad_output))
    D = (dO * O).sum(-1)

    dQ, dK, dV = torch.zeros_like(Q), torch.zeros_like(K), torch.zeros_like(V)
    idx = torch.arange(N, device=Q.device)
    blocks = [slice(a, min(a + block_size, N)) for a in range(0, N, block_size)]

    for i in blocks:  # queries
        qi, doi = Q[:, :, i], dO[:, :, i]
        dqi = torch.zeros_like(qi)
        for j in blocks:  # keys
            if causal and j.start > i.start:
                break
            kj, vj = K[:, :, j], V[:, :, j]
            s = qi @ kj.transpose(-2, -1) * scale
            if causal:
                s = s.masked_fill(idx[j] > idx[i, None], float("-inf"))
            p = torch.exp(s - L[:, :, i, None])
            dp = doi @ vj.transpose(-2, -1)
            ds = p * (dp - D[:, :, i, None]) * scale
            dqi += ds @ kj
            dK[:, :, j] += ds.transpose(-2, -1) @ qi
            dV[:, :, j] = p.transpose(-2, -1) @ doi
        dQ[:, :, i] = dqi
    return tuple(g.to(query.dtype) for g in (dQ, dK, dV))
