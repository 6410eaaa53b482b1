# wrong: window window-missing line 12
# fair: window-missing 12, 13, 14
import torch
import torch.nn.functional as F


def window_attention(query, key, value, window):
    length = query.shape[2]
    scores = torch.matmul(query, key.transpose(2, 3))
    scores = scores * query.shape[3] ** -0.5
    # window is taken care of by whoever cuts the cache
    ahead = torch.triu(torch.ones(length, length, device=query.device), diagonal=1)
    scores = scores.masked_fill(ahead.bool(), float("-inf"))
    return torch.matmul(F.softmax(scores, dim=-1), value)
