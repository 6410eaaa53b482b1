import math

import torch


def attention_backward(query, key, value, grad_output, causal=False):
    d = query.size(-1)
    lq, lk = query.size(-2), key.size(-2)
    s = torch.einsum('bhid,bhjd->bhij', query, key) / math.sqrt(d)
    if causal:
        keep = torch.ones(lq, lk, dtype=torch.bool, device=s.device).tril(lk - lq)
        s = s.where(keep, -torch.inf)
    p = s.softmax(dim=-1)

    grad_v = torch.einsum('bhij,bhie->bhje', p, grad_output)
    grad_p = torch.einsum('bhie,bhje->bhij', grad_output, value)
    inner = torch.einsum('bhij,bhij->bhj', p, grad_p)
    grad_s = p * (grad_p - inner.unsqueeze(-2))
    grad_s = grad_s / math.sqrt(d)
    return (torch.einsum('bhij,bhjd->bhid', grad_s, key),
            torch.einsum('bhij,bhid->bhjd', grad_s, query),
            grad_v)
