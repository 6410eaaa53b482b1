# attn-kata: flash-backward
import torch


@torch.no_grad()
def flash_backward(query, key, value, output, lse, grad_output, block_size, causal=False):
    wide = torch.promote_types(query.dtype, torch.float32)
    Q, K, V, O, L, dO = (t.to(wide) for t in (query, key, value, output, lse, grad_output))
    n, d = Q.shape[-2:]
    tau = d ** -0.5
    D = torch.einsum("bhie,bhie->bhi", dO, O)
    dQ, dK, dV = torch.zeros_like(Q), torch.zeros_like(K), torch.zeros_like(V)
    # outer loop keys, inner loop queries, like algorithm 2
    for j in range(0, n, block_size):
        kj, vj = K[:, :, j:j + block_size], V[:, :, j:j + block_size]
        cols = torch.arange(j, j + kj.shape[2], device=Q.device)
        for i in range(j if causal else 0, n, block_size):
            qi, doi = Q[:, :, i:i + block_size], dO[:, :, i:i + block_size]
            s = qi @ kj.mT * tau - L[:, :, i:i + block_size, None]
            if causal:
                rows = torch.arange(i, i + qi.shape[2], device=Q.device)
                s = s.masked_fill(cols > rows[:, None], -torch.inf)
            p = s.exp()
            dV[:, :, j:j + block_size] += p.mT @ doi
            ds = p * (doi @ vj.mT - D[:, :, i:i + block_size, None])
            dQ[:, :, i:i + block_size] += ds @ kj * tau
            dK[:, :, j:j + block_size] += ds.mT @ qi * tau
    return dQ.to(query.dtype), dK.to(key.dtype), dV.to(value.dtype)
