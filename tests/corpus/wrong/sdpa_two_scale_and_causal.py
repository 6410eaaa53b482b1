# wrong: sdpa scale-without-sqrt line 6, causal-sees-next line 11
import torch


def attention(query, key, value, mask=None, causal=False):
    scores = query @ key.transpose(-1, -2) / query.shape[-1]
    if mask is not None:
        scores = scores.masked_fill(mask == 0, float("-inf"))
    if causal:
        rows, cols = scores.shape[-2:]
        lookahead = torch.ones(rows, cols, device=scores.device).triu(cols - rows + 2)
        scores = scores.masked_fill(lookahead.bool(), float("-inf"))
    return torch.softmax(scores, -1) @ value
