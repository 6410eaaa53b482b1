import torch


def attention_backward(query, key, value, grad_output, causal=False):
    c = query.shape[-1] ** -0.5
    s = query @ key.mT * c
    if causal:
        T, S = s.shape[-2:]
        s = s.masked_fill(torch.ones(T, S, dtype=torch.bool, device=s.device).triu(S - T + 1), float("-inf"))
    p = s.softmax(-1)
    dp = grad_output @ value.mT
    ds = p * (dp - (p * dp).sum(-2, keepdim=True))
    dq = ds @ key * c
    dk = ds.mT @ query * c
    dv = p.mT @ grad_output
    return dq, dk, dv
