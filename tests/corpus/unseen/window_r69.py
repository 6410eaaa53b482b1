import math
import torch


def window_attention(query, key, value, window):
    # for every position: take the slice it may see, and do plain attention on that
    length = query.shape[2]
    head_dim = query.shape[3]
    outputs = []
    for i in range(length):
        begin = max(0, i - window + 1)
        end = i + 1
        q = query[:, :, i, :]
        k = key[:, :, begin:end, :]
        v = value[:, :, begin:end, :]
        scores = (q.unsqueeze(2) * k).sum(dim=-1) / math.sqrt(head_dim)
        weights = torch.exp(scores - scores.max(dim=-1, keepdim=True)[0])
        weights = weights / weights.sum(dim=-1, keepdim=True)
        outputs.append((weights.unsqueeze(-1) * v).sum(dim=2))
    return torch.stack(outputs, dim=2)
