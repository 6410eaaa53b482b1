import math
import torch
from torch import Tensor


def attention_backward(query: Tensor, key: Tensor, value: Tensor, grad_output: Tensor, causal: bool = False):
    """FlashAttention's trick: delta = rowsum(dO * O), and P from the log-sum-exp."""
    n, d = query.shape[-2:]
    s = key.shape[-2]
    scale = 1 / math.sqrt(d)
    logits = torch.einsum("bhid,bhjd->bhij", query, key) * scale
    if causal:
        i = torch.arange(n, device=query.device) + (s - n)
        logits = logits.masked_fill(torch.arange(s, device=query.device) > i.unsqueeze(-1), -math.inf)
    lse = logits.logsumexp(dim=-1, keepdim=True)
    p = torch.exp(logits - lse)
    o = torch.einsum("bhij,bhje->bhie", p, value)
    delta = (grad_output * o).sum(-1, keepdim=True)
    dv = torch.einsum("bhij,bhie->bhje", p, grad_output)
    ds = p * (torch.einsum("bhie,bhje->bhij", grad_output, value) - delta)
    dq = torch.einsum("bhij,bhjd->bhid", ds, key) * scale
    dk = torch.einsum("bhij,bhid->bhjd", ds, query) * scale
    return dq, dk, dv
