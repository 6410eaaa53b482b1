import math
import torch
from torch import Tensor


def softmax_vjp(weights: Tensor, upstream: Tensor) -> Tensor:
    inner = (weights * upstream).sum(dim=-1, keepdim=True)
    return weights * (upstream - inner)


def attention_backward(query: Tensor, key: Tensor, value: Tensor, grad_output: Tensor, causal: bool = False):
    sqrt_d = math.sqrt(query.shape[-1])
    scores = torch.matmul(query, key.transpose(-2, -1)) / sqrt_d
    if causal:
        tq, tk = scores.shape[-2], scores.shape[-1]
        i = torch.arange(tq, device=query.device) + tk - tq
        j = torch.arange(tk, device=query.device)
        scores = scores.masked_fill(j[None] > i[:, None], float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    grad_value = torch.matmul(weights.transpose(-2, -1), grad_output)
    grad_weights = torch.matmul(grad_output, value)
    grad_scores = softmax_vjp(weights, grad_weights) / sqrt_d
    grad_query = torch.matmul(grad_scores, key)
    grad_key = torch.matmul(grad_scores.transpose(-2, -1), query)
    return grad_query, grad_key, grad_value
