# wrong: linear output-like-query line 13 (error)
import torch


def linear_attention(query, key, value):
    q, k = phi(query), phi(key)
    return q @ (k.mT @ value) / (q * k.sum(-2, keepdim=True)).sum(-1, keepdim=True)


def causal_linear_attention(query, key, value):
    q, k = phi(query), phi(key)
    length = q.shape[2]
    gathered = torch.empty(q.shape, dtype=value.dtype, device=value.device)
    state = 0
    total = torch.zeros_like(k[:, :, :1])
    for start in range(0, length, 16):
        here = slice(start, start + 16)
        scores = (q[:, :, here] @ k[:, :, here].mT).tril()
        gathered[:, :, here] = scores @ value[:, :, here]
        if start:
            gathered[:, :, here] += q[:, :, here] @ state
        below = scores.sum(-1, keepdim=True) + q[:, :, here] @ total.mT
        gathered[:, :, here] /= below
        state = state + k[:, :, here].mT @ value[:, :, here]
        total = total + k[:, :, here].sum(2, keepdim=True)
    return gathered


def phi(x):
    return torch.nn.functional.elu(x) + 1
