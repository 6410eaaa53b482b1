import math

import torch
import torch.nn.functional as F


def attention_backward(query, key, value, grad_output, causal=False):
    d_k = query.size(-1)
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(d_k)
    if causal:
        L, S = scores.size(-2), scores.size(-1)
        tril = torch.tril(torch.ones(L, S, device=scores.device), diagonal=S - L)
        scores = scores.masked_fill(tril == 0, float("-inf"))
    weights = F.softmax(scores, dim=-1)

    # output = weights @ value
    grad_value = torch.matmul(weights.transpose(-2, -1), grad_output)
    grad_weights = torch.matmul(grad_output, value.transpose(-2, -1))

    # jacobian of softmax for every row: diag(p) - p p^T
    jacobian = torch.diag_embed(weights) - weights.unsqueeze(-1) * weights.unsqueeze(-2)
    grad_scores = torch.matmul(jacobian, grad_weights.unsqueeze(-1)).squeeze(-1)

    # scores = query @ key^T / sqrt(d_k)
    grad_scores = grad_scores / math.sqrt(d_k)
    grad_query = torch.matmul(grad_scores, key)
    grad_key = torch.matmul(grad_scores.transpose(-2, -1), query)
    return grad_query, grad_key, grad_value
