import math
import torch


def attention(query, key, value, mask=None, causal=False):
    *_, q_len, head_dim = query.shape
    k_len = key.shape[-2]

    allowed = None if mask is None else mask != 0
    if causal:
        tri = torch.ones(q_len, k_len, device=query.device).tril(k_len - q_len)
        allowed = tri if allowed is None else allowed & tri

    scores = query @ key.transpose(-2, -1) / math.sqrt(head_dim)
    if allowed is not None:
        scores = scores.masked_fill(allowed == False, float("-inf"))  # noqa: E712
    return torch.softmax(scores, dim=-1) @ value
