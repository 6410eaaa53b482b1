import torch
import torch.nn.functional as F


def slopes(heads):
    """geometric sequence, starts at 2^(-8/n)"""
    i = torch.arange(1, heads + 1, dtype=torch.float32)
    return 2.0 ** (-8.0 * i / heads)


def bias(heads, query_length, key_length):
    keys = torch.arange(key_length)
    queries = keys[key_length - query_length :]
    dist = (queries.unsqueeze(1) - keys.unsqueeze(0)).float()
    out = -slopes(heads).reshape(heads, 1, 1) * dist.unsqueeze(0)
    out[:, dist < 0] = float("-inf")
    return out


def attention(query, key, value):
    B, H, Q, D = query.shape
    K = key.shape[2]
    q = query.reshape(B * H, Q, D)
    k = key.reshape(B * H, K, D)
    v = value.reshape(B * H, K, -1)
    scores = torch.bmm(q, k.transpose(1, 2)) / D**0.5
    scores = scores.view(B, H, Q, K) + bias(H, Q, K).to(device=scores.device, dtype=scores.dtype)
    weights = F.softmax(scores, dim=-1).view(B * H, Q, K)
    return torch.bmm(weights, v).view(B, H, Q, -1)
