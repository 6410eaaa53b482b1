import torch

def attention_backward(query, key, value, grad_output, causal=False):
    q, k, v, g = query, key, value, grad_output
    c = q.shape[-1] ** -0.5
    s = c * (q @ k.transpose(-1, -2))
    n, m = s.shape[-2:]
    if causal:
        i = torch.arange(n, device=s.device) + (m - n)
        j = torch.arange(m, device=s.device)
        s = s.masked_fill(j > i[:, None], -torch.inf)
    p = torch.softmax(s, -1)
    o = p @ v
    D = (o * g).sum(-1)
    ds = p * (g @ v.transpose(-1, -2) - D[:, :, None])
    gq = c * (ds @ k)
    gk = c * (ds.transpose(-1, -2) @ q)
    gv = p.transpose(-1, -2) @ g
    return gq, gk, gv
