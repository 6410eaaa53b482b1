# wrong: backward softmax-backward-skipped line 14
# fair: softmax-backward-skipped 14, 15, 16
import torch


def attention_backward(query, key, value, grad_output, causal=False):
    c = query.size(-1) ** 0.5
    w = query @ key.transpose(-2, -1) / c
    if causal:
        w = w.masked_fill(torch.ones(w.shape[-2:], device=w.device).tril(w.size(-1) - w.size(-2)) == 0, float('-inf'))
    w = torch.softmax(w, -1)
    # chain rule, from the outside in
    dV = w.transpose(-2, -1) @ grad_output
    dW = grad_output @ value.transpose(-2, -1)
    dQ = dW @ key / c
    dK = dW.transpose(-2, -1) @ query / c
    return dQ, dK, dV
