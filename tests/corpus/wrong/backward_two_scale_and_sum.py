# wrong: backward scale-without-sqrt line 6, row-sum-missing line 13
import torch


def attention_backward(query, key, value, grad_output, causal=False):
    scale = 1.0 / query.shape[-1]
    s = query @ key.mT * scale
    if causal:
        s = s.masked_fill(torch.ones_like(s).tril(s.size(-1) - s.size(-2)) == 0, float("-inf"))
    p = s.softmax(-1)
    dv = p.mT @ grad_output
    dp = grad_output @ value.mT
    ds = p * dp
    return ds @ key * scale, ds.mT @ query * scale, dv
