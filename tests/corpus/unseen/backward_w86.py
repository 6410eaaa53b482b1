# attn-kata: backward
import math
import torch


def _probs(q, k, causal):
    s = torch.matmul(q, k.mT) / math.sqrt(q.shape[-1])
    if causal:
        n, m = s.shape[-2:]
        s = s.masked_fill(torch.ones(n, m, device=s.device).triu(m - n + 1) == 1, -math.inf)
    return torch.softmax(s, -1)


def _matmul_backward(a, b, g):
    """C = a @ b.T: gradients at a and b"""
    return g @ b, g.mT @ a


def attention_backward(query, key, value, grad_output, causal=False):
    P = _probs(query, key, causal)
    grad_P = grad_output @ value.mT
    grad_value = P.mT @ grad_output
    grad_S = P * (grad_P - (P * grad_P).sum(-1, keepdim=True))
    grad_query, grad_key = _matmul_backward(query, key, grad_S)
    grad_query = grad_query / math.sqrt(query.shape[-1])
    return grad_query, grad_key, grad_value
