# flash attention v2, backward: one "program" for each block of keys, inner loop over blocks of queries
import math
import torch


def causal_tile(n_rows, n_cols, shift, device):
    """True where a row of the tile may not see a column; shift = first row - first column"""
    return torch.ones(n_rows, n_cols, dtype=torch.bool, device=device).triu(1 + shift)


def dkdv_program(Q, K, V, dO, L, D, lo, hi, BLOCK_M, causal, scale, dQ):
    Kj, Vj = K[:, :, lo:hi], V[:, :, lo:hi]
    dKj, dVj = torch.zeros_like(Kj), torch.zeros_like(Vj)
    begin = lo if causal else 0  # queries before this block see none of it
    for m in range(begin, Q.shape[2], BLOCK_M):
        Qi, dOi = Q[:, :, m : m + BLOCK_M], dO[:, :, m : m + BLOCK_M]
        S = Qi @ Kj.transpose(2, 3) * scale
        if causal:
            S = S.masked_fill(causal_tile(S.shape[2], S.shape[3], 0, S.device), float("-inf"))
        P = (S - L[:, :, m : m + BLOCK_M, None]).exp()
        dVj += P.transpose(2, 3) @ dOi
        dP = dOi @ Vj.transpose(2, 3)
        dS = P * (dP - D[:, :, m : m + BLOCK_M, None]) * scale
        dKj += dS.transpose(2, 3) @ Qi
        dQ[:, :, m : m + BLOCK_M] += dS @ Kj
    return dKj, dVj


def flash_backward(query, key, value, output, lse, grad_output, block_size, causal=False):
    t = query.dtype
    ct = t if t == torch.float64 else torch.float32
    Q, K, V, O, dO, L = [x.detach().to(ct) for x in (query, key, value, output, grad_output, lse)]
    N, scale = Q.shape[2], 1 / math.sqrt(Q.shape[3])
    D = (O * dO).sum(3)
    dQ = torch.zeros_like(Q)
    dK, dV = torch.zeros_like(K), torch.zeros_like(V)
    for lo in range(0, N, block_size):
        hi = min(lo + block_size, N)
        dK[:, :, lo:hi], dV[:, :, lo:hi] = dkdv_program(
            Q, K, V, dO, L, D, lo, hi, block_size, causal, scale, dQ
        )
    return dQ.to(t), dK.to(t), dV.to(t)
