# wrong: flash tensor-too-large line 8
import math
import torch


def flash_attention(query, key, value, block_size, causal=False):
    length = query.shape[-2]
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    if causal:
        scores = scores.masked_fill(torch.ones(length, length, device=query.device).triu(1).bool(), float("-inf"))
    m = torch.full_like(query[..., :1], float("-inf"))
    l, o = torch.zeros_like(m), torch.zeros_like(query)
    for s, v in zip(scores.split(block_size, -1), value.split(block_size, -2)):
        new = torch.maximum(m, s.amax(-1, keepdim=True))
        p, r = (s - new).exp(), (m - new).exp()
        l, o, m = l * r + p.sum(-1, keepdim=True), o * r + p @ v, new
    return o / l
