# wrong: backward gradient-negated line 14
import torch


def attention_backward(query, key, value, grad_output, causal=False):
    scale = query.shape[-1] ** -0.5
    scores = query @ key.mT * scale
    if causal:
        seen = scores.new_ones(scores.shape[-2:]).tril(key.shape[-2] - query.shape[-2])
        scores = scores.masked_fill(seen == 0, float("-inf"))
    P = scores.softmax(dim=-1)
    O = P @ value
    delta = (O * grad_output).sum(-1, keepdim=True)
    dS = P * (delta - grad_output @ value.mT)
    return dS @ key * scale, dS.mT @ query * scale, P.mT @ grad_output
