import torch


def flash_backward(query, key, value, output, lse, grad_output, block_size, causal=False):
    """Two loops as in the paper: keys outside, queries inside."""
    B, H, L, D = query.shape
    Dv = value.shape[-1]
    as64 = lambda t: t.reshape(B * H, L, -1).double()
    Q, K, V, O, dO = map(as64, (query, key, value, output, grad_output))
    Z = lse.reshape(B * H, L, 1).double()
    scale = D ** -0.5

    tile = min(block_size, L)
    spans = [(a, min(a + tile, L)) for a in range(0, L, tile)]
    delta = (O * dO).sum(-1, keepdim=True)

    dQ = [torch.zeros_like(Q[:, a:b]) for a, b in spans]
    dK, dV = [], []
    for kj, (c, d) in enumerate(spans):
        k, v = K[:, c:d], V[:, c:d]
        gk, gv = torch.zeros_like(k), torch.zeros_like(v)
        for qi, (a, b) in enumerate(spans):
            if causal and qi < kj:
                continue
            q, g = Q[:, a:b], dO[:, a:b]
            P = torch.exp(torch.bmm(q, k.transpose(1, 2)).mul(scale).sub(Z[:, a:b]))
            if causal and qi == kj:
                P = P.tril()
            gv = gv + torch.bmm(P.transpose(1, 2), g)
            dS = P * (torch.bmm(g, v.transpose(1, 2)) - delta[:, a:b]) * scale
            dQ[qi] = dQ[qi] + torch.bmm(dS, k)
            gk = gk + torch.bmm(dS.transpose(1, 2), q)
        dK.append(gk)
        dV.append(gv)
    back = lambda ts, like: torch.cat(ts, 1).view(B, H, L, -1).to(like.dtype)
    return back(dQ, query), back(dK, key), back(dV, value)
