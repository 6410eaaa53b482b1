# wrong: backward autograd-used line 8
# fair: autograd-used 6, 7, 8
import torch


def attention_backward(query, key, value, grad_output, causal=False):
    q, k, v = (t.detach().clone().requires_grad_(True) for t in (query, key, value))
    s = q @ k.mT / q.shape[-1] ** 0.5
    if causal:
        n, m = s.shape[-2:]
        s = s.masked_fill(torch.ones(n, m, device=s.device).tril(m - n) == 0, float("-inf"))
    out = s.softmax(-1) @ v
    out.backward(grad_output)
    return q.grad, k.grad, v.grad
