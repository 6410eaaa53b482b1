# wrong: backward grad-scale-missing line 17
import torch


def attention_backward(q, k, v, do, causal=False):
    r = q.size(-1) ** -0.5
    q = q * r
    s = torch.einsum("bhid,bhjd->bhij", q, k)
    if causal:
        i, j = (torch.arange(n, device=q.device) for n in s.shape[-2:])
        s = s.where(j <= i[:, None] + len(j) - len(i), -torch.inf)
    p = s.softmax(-1)
    dp = torch.einsum("bhie,bhje->bhij", do, v)
    ds = p * (dp - (p * dp).sum(-1, True))
    dv = torch.einsum("bhij,bhie->bhje", p, do)
    dk = torch.einsum("bhij,bhid->bhjd", ds, q)
    dq = torch.einsum("bhij,bhjd->bhid", ds, k)
    return dq, dk, dv
