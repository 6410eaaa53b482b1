import torch


@torch.no_grad()
def attention_backward(query, key, value, grad_output, causal=False):
    d = query.size(-1)
    q = query / d**0.5
    s = torch.einsum("bhid,bhjd->bhij", q, key)
    if causal:
        n, m = s.size(-2), s.size(-1)
        i = torch.arange(n, device=s.device).view(n, 1) + m - n
        j = torch.arange(m, device=s.device).view(1, m)
        s = torch.where(j > i, float("-inf"), s)
    p = torch.softmax(s, dim=-1)
    o = torch.einsum("bhij,bhjv->bhiv", p, value)

    dv = torch.einsum("bhij,bhiv->bhjv", p, grad_output)
    dp = torch.einsum("bhiv,bhjv->bhij", grad_output, value)
    delta = torch.sum(o * grad_output, dim=-1, keepdim=True)
    ds = p * (dp - delta)
    dq = torch.einsum("bhij,bhjd->bhid", ds, key)
    dk = torch.einsum("bhij,bhid->bhjd", ds, q)
    return dq, dk, dv
