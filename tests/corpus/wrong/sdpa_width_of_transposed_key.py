# wrong: sdpa scale-by-length line 19
import torch
import torch.nn.functional as F


def _visible(mask, causal, q_len, k_len, device):
    allowed = torch.ones(q_len, k_len, dtype=torch.bool, device=device)
    if causal:
        q_pos = torch.arange(k_len - q_len, k_len, device=device).unsqueeze(1)
        k_pos = torch.arange(k_len, device=device).unsqueeze(0)
        allowed = allowed & (k_pos <= q_pos)
    if mask is not None:
        allowed = allowed & mask.to(torch.bool)
    return allowed


def attention(query, key, value, mask=None, causal=False):
    key = key.transpose(-1, -2)
    d_k = key.size(-1)
    scores = torch.matmul(query, key) / d_k ** 0.5
    allowed = _visible(mask, causal, query.size(-2), key.size(-1), query.device)
    scores = scores.masked_fill(allowed.logical_not(), float("-inf"))
    return torch.matmul(F.softmax(scores, dim=-1), value)
