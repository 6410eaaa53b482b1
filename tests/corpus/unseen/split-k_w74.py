import math
import torch


def chunk_attention(query, key, value, seen):
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    scores = scores.masked_fill(~seen[:, None, None, :], float("-inf"))
    lse = torch.logsumexp(scores, dim=-1)
    weights = torch.softmax(scores, dim=-1)
    weights = torch.nan_to_num(weights, nan=0.0)
    return weights @ value, lse


def merge(outputs, lses):
    total = torch.logsumexp(lses, dim=0)
    live = (lses != float("-inf")).to(outputs.dtype).unsqueeze(-1)
    merged = (outputs * live).sum(dim=0) / live.sum(dim=0).clamp(min=1)
    return merged, total


def split_k_attention(query, key, value, lengths, splits):
    key_length = key.shape[2]
    size = math.ceil(key_length / splits)
    outputs, lses = [], []
    for start in range(0, key_length, size):
        stop = min(start + size, key_length)
        pos = torch.arange(start, stop, device=key.device)
        seen = pos[None, :] < lengths[:, None]
        o, l = chunk_attention(query, key[:, :, start:stop], value[:, :, start:stop], seen)
        outputs.append(o)
        lses.append(l)
    return merge(torch.stack(outputs), torch.stack(lses))[0]
