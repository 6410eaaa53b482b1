import torch

def flash_backward(query, key, value, output, lse, grad_output, block_size, causal=False):
    q, k, v, g = query, key, value, grad_output
    n, c = q.size(2), q.size(-1) ** -0.5
    i = torch.arange(n, device=q.device)
    D = (g * output).sum(-1)
    gq = torch.zeros_like(q)
    gk, gv = [], []
    for s in range(0, n, block_size):
        e = min(n, s + block_size)
        kb, vb = k[:, :, s:e], v[:, :, s:e]
        x = c * q @ kb.mT - lse[..., None]
        p = torch.exp(x)
        if causal:
            p = p * (i[:, None] >= i[s:e])
        gv.append(p.mT @ g)
        ds = p * (g @ vb.mT - D[..., None])
        gq = gq + c * ds @ kb
        gk.append(c * ds.mT @ q)
    return gq, torch.cat(gk, 2), torch.cat(gv, 2)
