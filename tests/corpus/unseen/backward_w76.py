import torch


def attention_backward(query, key, value, grad_output, causal=False):
    """手写注意力的反向传播"""
    scale = query.shape[-1] ** 0.5
    s = torch.einsum("bhid,bhjd->bhij", query, key) / scale
    if causal:
        n, m = s.shape[-2:]
        future = torch.ones(n, m, device=s.device).triu(m - n + 1).bool()
        s = s.masked_fill(future, float("-inf"))
    # 重新计算权重
    s = s - s.amax(dim=-1, keepdim=True)
    p = s.exp() / s.exp().sum(dim=-1, keepdim=True)
    out = torch.einsum("bhij,bhjv->bhiv", p, value)

    # 每一行的 dO · O
    delta = (grad_output * out).sum(dim=-1, keepdim=True)
    dv = torch.einsum("bhij,bhiv->bhjv", p, grad_output)
    dp = torch.einsum("bhiv,bhjv->bhij", grad_output, value)
    ds = p * (dp - delta)
    dq = torch.einsum("bhij,bhjd->bhid", ds, key) / scale
    dk = torch.einsum("bhij,bhid->bhjd", ds, query)
    return dq, dk, dv
