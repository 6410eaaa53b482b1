# Backward pass of softmax attention, without autograd.
#
#   S = Q K^T / sqrt(d),  P = softmax(S),  O = P V

import math

import torch


@torch.no_grad()
def attention_backward(query, key, value, grad_output, causal=False):
    n_q = query.size(2)
    n_k = key.size(2)
    scale = 1.0 / math.sqrt(query.size(3))

    # ---------- forward once more
    scores = torch.einsum("bhqd,bhkd->bhqk", query, key) * scale
    if causal:
        q_pos = torch.arange(n_q, device=query.device) + n_k - n_q
        k_pos = torch.arange(n_k, device=query.device)
        scores = scores.masked_fill(k_pos[None, :] > q_pos[:, None], float("-inf"))
    # subtract the row's maximum, so that exp cannot overflow
    exp = torch.exp(scores - scores.max(dim=-1, keepdim=True).values)
    probs = exp / exp.sum(dim=-1, keepdim=True)

    # ---------- value
    grad_value = torch.einsum("bhqk,bhqe->bhke", probs, grad_output)

    # ---------- weights
    grad_probs = torch.einsum("bhqe,bhke->bhqk", grad_output, value)

    # ---------- softmax: p * (g - sum(p * g))
    inner = (probs * grad_probs).sum(dim=-1, keepdim=True)
    grad_scores = probs * (grad_probs - inner)

    # ---------- query and key
    grad_query = torch.einsum("bhqk,bhkd->bhqd", grad_scores, key) * scale
    grad_key = torch.einsum("bhqk,bhqd->bhkd", grad_scores, query) * scale
    return grad_query, grad_key, grad_value
