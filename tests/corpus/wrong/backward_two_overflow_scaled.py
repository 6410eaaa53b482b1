# wrong: backward softmax-unstable line 8, grad-value-scaled line 13
import torch


def attention_backward(query, key, value, grad_output, causal=False):
    r = query.shape[-1] ** -0.5
    s = torch.einsum("...id,...jd->...ij", query, key) * r
    e = torch.exp(s)
    if causal:
        n, m = s.shape[-2:]
        e = e.tril(m - n)
    p = e / e.sum(-1, keepdim=True)
    dv = torch.einsum("...ij,...ic->...jc", p, grad_output) * r
    dp = torch.einsum("...ic,...jc->...ij", grad_output, value)
    ds = p * (dp - (p * dp).sum(-1, keepdim=True)) * r
    return torch.einsum("...ij,...jd->...id", ds, key), torch.einsum("...ij,...id->...jd", ds, query), dv
