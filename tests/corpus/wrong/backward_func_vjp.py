# wrong: backward autograd-used line 8
# fair: autograd-used 7, 8, 9, 13, 17, 18
import torch
from torch.func import vjp


def _attend(q, k, v, causal):
    s = q @ k.transpose(-2, -1)
    s = s / q.shape[-1] ** 0.5
    if causal:
        n, m = s.shape[-2:]
        s = s.masked_fill(torch.ones(n, m, device=s.device).tril(m - n) == 0, float("-inf"))
    return s.softmax(-1) @ v


def attention_backward(query, key, value, grad_output, causal=False):
    _, pull = vjp(lambda q, k, v: _attend(q, k, v, causal), query, key, value)
    return pull(grad_output)
