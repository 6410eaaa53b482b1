import math

import torch


def band(length, window, device):
    # ones.tril minus what lies below the band
    ones = torch.ones(length, length, dtype=torch.bool, device=device)
    return ones.tril() ^ ones.tril(-window)


def window_attention(query, key, value, window):
    if window == 1:
        return value + 0 * (query + key).sum(-1, keepdim=True)      # only itself: weight 1
    scores = torch.matmul(query, key.transpose(-1, -2)) * (1 / math.sqrt(query.shape[-1]))
    keep = band(query.shape[-2], window, query.device)
    scores = torch.where(keep, scores, scores.new_tensor(torch.finfo(scores.dtype).min))
    logz = scores.logsumexp(dim=-1, keepdim=True)
    return torch.matmul((scores - logz).exp(), value)
