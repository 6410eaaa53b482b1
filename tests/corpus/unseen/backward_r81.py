import torch
from torch import Tensor


def outer(a: Tensor, b: Tensor) -> Tensor:
    return a @ b.transpose(-1, -2)


def weights(query: Tensor, key: Tensor, causal: bool) -> Tensor:
    s = outer(query, key)
    if causal:
        hidden = s.new_ones(s.shape[-2:]).triu(s.shape[-1] - s.shape[-2] + 1).bool()
        s = s.masked_fill(hidden, -torch.inf)
    return torch.softmax(s, -1)


def attention_backward(query, key, value, grad_output, causal=False):
    root = query.shape[-1] ** 0.25
    q, k = query / root, key / root
    p = weights(q, k, causal)
    # rowsum(P * dP) is rowsum(dO * O), as FlashAttention has it
    delta = (grad_output * (p @ value)).sum(-1, keepdim=True)
    ds = p * (outer(grad_output, value) - delta)
    return (ds @ k) / root, (ds.transpose(-1, -2) @ q) / root, p.transpose(-1, -2) @ grad_output
