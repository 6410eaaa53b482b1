from __future__ import annotations

import torch
from torch import Tensor


def attention_backward(
    query: Tensor, key: Tensor, value: Tensor, grad_output: Tensor, causal: bool = False
) -> tuple[Tensor, Tensor, Tensor]:
    query_length, key_length = query.size(-2), key.size(-2)

    # scaling the (smaller) query instead of the scores saves a pass over them
    query = query / query.size(-1) ** 0.5
    scores = torch.matmul(query, key.transpose(-2, -1))
    if causal:
        visible = torch.ones(query_length, key_length, dtype=torch.bool, device=query.device)
        visible = visible.tril(key_length - query_length)
        scores = scores.masked_fill(visible.logical_not(), float("-inf"))
    weights = scores.softmax(dim=-1)

    grad_value = torch.matmul(weights.transpose(-2, -1), grad_output)
    grad_weights = torch.matmul(grad_output, value.transpose(-2, -1))
    row = torch.sum(weights * grad_weights, dim=-1, keepdim=True)
    grad_scores = weights * (grad_weights - row)

    grad_query = torch.matmul(grad_scores, key)
    grad_key = torch.matmul(grad_scores.transpose(-2, -1), query)
    return grad_query, grad_key, grad_value
