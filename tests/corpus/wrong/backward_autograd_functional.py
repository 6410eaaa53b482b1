# wrong: backward autograd-used line 9
# fair: autograd-used 9, 13, 14
import math

import torch


def attention_backward(query, key, value, grad_output, causal=False):
    def run(q, k, v):
        s = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(q.size(-1))
        if causal:
            s = s.masked_fill(torch.ones_like(s).tril(s.size(-1) - s.size(-2)) == 0, -math.inf)
        return torch.matmul(torch.softmax(s, dim=-1), v)
    _, grads = torch.autograd.functional.vjp(run, (query, key, value), grad_output)
    return grads
