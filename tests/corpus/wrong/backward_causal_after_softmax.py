# wrong: backward mask-after-softmax line 14
# fair: mask-after-softmax 8, 13, 14
import torch


def attention_backward(query, key, value, grad_output, causal=False):
    scores = query @ key.transpose(-1, -2) / query.shape[-1] ** 0.5
    weights = torch.softmax(scores, dim=-1)
    dW = grad_output @ value.transpose(-1, -2)
    dS = weights * (dW - (weights * dW).sum(dim=-1, keepdim=True))
    if causal:
        # hide the future from the gradient
        dS = dS.tril(key.shape[-2] - query.shape[-2])
        weights = weights.tril(key.shape[-2] - query.shape[-2])
    dS = dS / query.shape[-1] ** 0.5
    return dS @ key, dS.transpose(-1, -2) @ query, weights.transpose(-1, -2) @ grad_output
