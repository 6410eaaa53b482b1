import torch

# FA2, Algorithm 2; single loop over key blocks


def flash_backward(query, key, value, output, lse, grad_output, block_size, causal=False):
    b, h, n, d = query.shape
    e = value.shape[-1]
    scale = d ** -0.5
    flat = lambda t: t.reshape(b * h, n, -1)
    Q, K, V, O, dO = map(flat, (query, key, value, output, grad_output))
    L = lse.reshape(b * h, n, 1)
    D = (O * dO).sum(-1, keepdim=True)

    dQ = torch.zeros_like(Q)
    dK = torch.empty_like(K)
    dV = torch.empty_like(V)
    i = torch.arange(n, device=Q.device).reshape(n, 1)

    j0 = 0
    while j0 < n:
        j1 = min(n, j0 + block_size)
        Kj, Vj = K[:, j0:j1], V[:, j0:j1]
        S = torch.bmm(Q, Kj.mT) * scale - L
        if causal:
            j = torch.arange(j0, j1, device=Q.device).reshape(1, -1)
            S = S.masked_fill(j > i, float("-inf"))
        P = S.exp()
        dV[:, j0:j1] = torch.bmm(P.mT, dO)
        dP = torch.bmm(dO, Vj.mT)
        dS = P * (dP - D)
        dQ = torch.bmm(dS, Kj) * scale
        dK[:, j0:j1] = torch.bmm(dS.mT, Q) * scale
        j0 = j1
    return dQ.view(b, h, n, d), dK.view(b, h, n, d), dV.view(b, h, n, e)
