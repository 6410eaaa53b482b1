# attn-kata: window
import torch


def _band(n, window, device):
    """lower triangle, cut off again below the (window - 1)-th subdiagonal"""
    ones = torch.ones(n, n, dtype=torch.bool, device=device)
    return ones.tril(0).logical_and(ones.triu(1 - window))


def window_attention(query, key, value, window):
    n, d = query.shape[-2:]
    s = torch.einsum("bhid,bhjd->bhij", query, key).div(d ** 0.5)
    s = s.masked_fill(_band(n, window, s.device).logical_not(), -float("inf"))
    return torch.einsum("bhij,bhje->bhie", torch.softmax(s, 3), value)
