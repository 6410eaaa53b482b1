import torch


@torch.no_grad()
def attention_backward(query, key, value, grad_output, causal=False):
    """Forward in one go, backward over tiles of 128 keys."""
    b, h, n, d = query.shape
    m = key.shape[2]
    c = d**-0.5
    s = (query * c) @ key.mT
    if causal:
        s = s.masked_fill(torch.ones(n, m, device=s.device, dtype=torch.bool).triu(m - n + 1), -torch.inf)
    p = s.softmax(-1)
    gq, gk, gv = torch.zeros_like(query), torch.zeros_like(key), torch.zeros_like(value)
    for at in range(0, m, 128):
        cut = slice(at, at + 128)
        pt = p[..., cut]
        gv[:, :, cut] = pt.mT @ grad_output
        gp = grad_output @ value[:, :, cut].mT
        gs = pt * (gp - (pt * gp).sum(-1, keepdim=True))
        gq += gs @ key[:, :, cut] * c
        gk[:, :, cut] = gs.mT @ query * c
    return gq, gk, gv
