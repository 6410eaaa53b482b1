import math
import torch
from torch import Tensor


def softmax_vjp(prob: Tensor, grad: Tensor) -> Tensor:
    """diag(p) - p p^T applied to grad without building it."""
    weighted = prob * grad
    total = weighted.sum(dim=-2, keepdim=True)
    return weighted - prob * total


def matmul_vjp(a: Tensor, b: Tensor, grad: Tensor):
    """for c = a @ b"""
    return grad @ b.mT, a.mT @ grad


def attention_backward(query: Tensor, key: Tensor, value: Tensor, grad_output: Tensor, causal: bool = False):
    scale = 1 / math.sqrt(query.shape[-1])
    scores = query @ key.mT * scale
    if causal:
        lq, lk = scores.shape[-2:]
        qi = torch.arange(lk - lq, lk, device=query.device)
        kj = torch.arange(lk, device=query.device)
        scores = scores.masked_fill(kj[None, :] > qi[:, None], float("-inf"))
    prob = scores.softmax(dim=-1)

    grad_prob, grad_value = matmul_vjp(prob, value, grad_output)
    grad_scores = softmax_vjp(prob, grad_prob)
    grad_query, grad_key_t = matmul_vjp(query, key.mT, grad_scores * scale)
    return grad_query, grad_key_t.mT, grad_value
