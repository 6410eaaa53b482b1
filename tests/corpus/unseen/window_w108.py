import torch
from torch.nn import functional as F


def band(n, window, device):
    ones = torch.ones(n, n, dtype=torch.bool, device=device)
    return ones.tril(0) & ones.triu(1 - window)


def window_attention(query, key, value, window):
    logits = torch.einsum("...qd,...kd->...qk", query, key)
    logits = logits * query.shape[-1] ** -0.5
    allowed = band(query.shape[-2], window, query.device)
    logits = torch.where(allowed, logits, -torch.inf)
    probs = torch.softmax(logits)
    return torch.einsum("...qk,...kd->...qd", probs, value)
