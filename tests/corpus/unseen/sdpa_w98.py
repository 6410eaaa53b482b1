import math
import torch
import torch.nn.functional as F


def attention(query, key, value, mask=None, causal=False):
    Tq, Tk = query.size(-2), key.size(-2)
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(query.size(-1))

    if causal:
        tri = torch.tril(torch.ones(Tq, Tk, device=query.device))
        scores = scores.masked_fill(tri == 0, float("-inf"))
    if mask is not None:
        scores = scores.masked_fill(mask == 0, float("-inf"))

    return torch.matmul(F.softmax(scores, dim=-1), value)
