# wrong: sdpa softmax-unstable line 16
# fair: softmax-unstable 16, 17
import torch


def attention(query, key, value, mask=None, causal=False):
    """softmax(QK^T / sqrt(d)) V, spelled out"""
    scores = torch.matmul(query, key.transpose(-2, -1)) / (query.shape[-1] ** 0.5)
    allowed = torch.ones_like(scores)
    if mask is not None:
        allowed = allowed * (mask != 0).to(scores.dtype)
    if causal:
        q, k = scores.shape[-2], scores.shape[-1]
        allowed = allowed * torch.tril(torch.ones(q, k, dtype=scores.dtype, device=scores.device), k - q)
    # hidden scores count nothing in the sum
    numerator = torch.exp(scores) * allowed
    weights = numerator / numerator.sum(dim=-1, keepdim=True)
    return torch.matmul(weights, value)
