# wrong: backward softmax-unstable line 12
# fair: softmax-unstable 12, 13
import torch


def attention_backward(query, key, value, grad_output, causal=False):
    r = query.shape[-1] ** 0.5
    s = query @ key.transpose(-2, -1) / r
    if causal:
        n, m = s.shape[-2:]
        s = s.masked_fill(torch.ones(n, m, device=s.device).triu(m - n + 1).bool(), float("-inf"))
    e = torch.exp(s)
    p = e / e.sum(dim=-1, keepdim=True)
    dv = p.transpose(-2, -1) @ grad_output
    dp = grad_output @ value.transpose(-2, -1)
    ds = p * (dp - (dp * p).sum(dim=-1, keepdim=True)) / r
    return ds @ key, ds.transpose(-2, -1) @ query, dv
