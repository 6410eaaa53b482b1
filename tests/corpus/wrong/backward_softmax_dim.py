# wrong: backward softmax-wrong-axis line 12
import torch
from torch.nn import functional as F


def attention_backward(query, key, value, grad_output, causal=False):
    c = query.shape[-1] ** -0.5
    s = torch.einsum('...qd,...kd->...qk', query, key) * c
    if causal:
        look = torch.ones(s.shape[-2:], device=s.device).tril(s.shape[-1] - s.shape[-2])
        s = s.masked_fill(look == 0, -1e9 if s.dtype != torch.float16 else -6e4)
    p = F.softmax(s, dim=2)
    dp = torch.einsum('...qv,...kv->...qk', grad_output, value)
    ds = p * (dp - (p * dp).sum(-1, keepdim=True)) * c
    return (torch.einsum('...qk,...kd->...qd', ds, key), torch.einsum('...qk,...qd->...kd', ds, query),
            torch.einsum('...qk,...qv->...kv', p, grad_output))
