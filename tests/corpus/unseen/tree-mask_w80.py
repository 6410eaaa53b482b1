import math
import torch


def tree_mask(back):
    n = back.shape[0]
    mask = torch.eye(n, dtype=torch.bool, device=back.device)
    parents = (torch.arange(n, device=back.device) - back).tolist()
    for i, p in enumerate(parents):
        if p >= 0:
            mask[i, p] = True
    return mask


def tree_attention(query, key, value, back):
    drafted = query.shape[2]
    prefix = key.shape[2] - drafted
    allowed = torch.ones(drafted, prefix + drafted, dtype=torch.bool, device=query.device)
    allowed[:, prefix:] = tree_mask(back)
    scores = query @ key.transpose(-1, -2) / math.sqrt(query.shape[-1])
    scores = scores.masked_fill(~allowed, float("-inf"))
    return scores.softmax(dim=-1) @ value
