from __future__ import annotations

import torch
from torch import Tensor


def softmax_backward(p: Tensor, dp: Tensor) -> Tensor:
    return p * (dp - torch.sum(p * dp, dim=-1, keepdim=True))


@torch.no_grad()
def attention_backward(
    query: Tensor, key: Tensor, value: Tensor, grad_output: Tensor, causal: bool = False
) -> tuple[Tensor, Tensor, Tensor]:
    scale = query.shape[-1] ** -0.5
    q_len, k_len = query.shape[-2], key.shape[-2]

    scores = torch.matmul(query, key.transpose(-1, -2)) * scale
    if causal:
        offset = k_len - q_len
        i = torch.arange(q_len, device=query.device)[:, None] + offset
        j = torch.arange(k_len, device=query.device)[None, :]
        scores = scores.masked_fill(j > i, torch.finfo(scores.dtype).min)
    probs = torch.softmax(scores, dim=-1)

    # O = P V
    grad_value = torch.matmul(probs.transpose(-1, -2), grad_output)
    grad_probs = torch.matmul(grad_output, value.transpose(-1, -2))
    # P = softmax(S)
    grad_scores = softmax_backward(probs, grad_probs)
    # S = Q K^T * scale
    grad_query = torch.matmul(grad_scores, key) * scale
    grad_key = torch.matmul(grad_scores, query) * scale
    return grad_query, grad_key, grad_value
