import torch
from torch import einsum


@torch.no_grad()
def attention_backward(query, key, value, grad_output, causal=False):
    q = query * query.shape[-1] ** -0.5
    s = einsum("bhid,bhjd->bhij", q, key)
    if causal:
        i, j = s.shape[-2:]
        hide = torch.ones(i, j, dtype=torch.bool, device=s.device).triu(j - i + 1)
        s = s.masked_fill(hide, -torch.inf)
    p = s.softmax(-1)
    dv = einsum("bhij,bhie->bhje", p, grad_output)
    dp = einsum("bhie,bhje->bhij", grad_output, value)
    ds = p * (dp - einsum("bhij,bhij->bhi", p, dp)[..., None])
    dq = einsum("bhij,bhjd->bhid", ds, key)
    dk = einsum("bhij,bhid->bhjd", ds, q)
    return dq, dk, dv
