import math

import torch
import torch.nn.functional as F


def attention(query, key, value, mask=None, causal=False):
    q_len, k_len, head_dim = query.size(-2), key.size(-2), query.size(-1)

    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(head_dim)

    if mask is not None:
        scores = scores.masked_fill(mask == 0, float("-inf"))
    if causal:
        # the queries are the last q_len positions
        future = torch.ones(q_len, k_len, dtype=torch.bool, device=query.device)
        future = torch.triu(future, diagonal=k_len - q_len)
        scores = scores.masked_fill(future, float("-inf"))

    weights = F.softmax(scores, dim=-1)
    return torch.matmul(weights, value)
