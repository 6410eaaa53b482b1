# right: backward
import torch
from functools import partial

T = partial(torch.transpose, dim0=-1, dim1=-2)


def softmax_vjp(y, dy):
    return y * dy - y * (y * dy).sum(-1, keepdim=True)


def attention_backward(query, key, value, grad_output, is_causal=False):
    float32 = query.float(), key.float(), value.float(), grad_output.float()
    q, k, v, g = float32
    c = q.shape[-1] ** -0.25
    q, k = q * c, k * c
    s = q @ T(k)
    if is_causal:
        hidden = ~torch.ones_like(s, dtype=torch.bool).tril(s.shape[-1] - s.shape[-2])
        s[hidden] = float("-inf")
    p = torch.softmax(s, -1)
    ds = softmax_vjp(p, g @ T(v))
    dq, dk, dv = ds @ k * c, T(ds) @ q * c, T(p) @ g
    return dq.to(query.dtype), dk.to(key.dtype), dv.to(value.dtype)
