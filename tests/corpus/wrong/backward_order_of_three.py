# wrong: backward gradients-swapped line 18
import torch


def attention_backward(query, key, value, grad_output, causal=False):
    d = query.shape[-1]
    s = query @ key.mT / d ** 0.5
    if causal:
        n, m = s.shape[-2:]
        s = s.masked_fill(torch.ones(n, m, device=s.device).tril(m - n) == 0, float("-inf"))
    p = s.softmax(-1)
    dv = p.mT @ grad_output
    dp = grad_output @ value.mT
    ds = p * (dp - (p * dp).sum(-1, keepdim=True)) / d ** 0.5
    dq = ds @ key
    dk = ds.mT @ query
    # as they were made
    return dv, dq, dk
