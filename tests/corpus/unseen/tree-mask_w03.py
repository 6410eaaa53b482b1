import math
import torch


def tree_mask(back):
    # adjacency + self loops, then closure by repeated squaring
    n = len(back)
    idx = torch.arange(n, device=back.device)
    parent = idx - back
    adj = (parent[:, None] == idx[None, :]) | (idx[:, None] == idx[None, :])
    reach = adj.float()
    for _ in range(int(math.log2(n))):
        reach = (reach @ reach).clamp(max=1)
    return reach > 0


def tree_attention(query, key, value, back):
    drafted = query.size(2)
    logits = (query @ key.transpose(-1, -2)) / query.size(-1) ** 0.5
    blocked = torch.zeros(logits.shape[-2:], dtype=torch.bool, device=logits.device)
    blocked[:, -drafted:] = ~tree_mask(back)
    logits = torch.where(blocked, torch.finfo(logits.dtype).min, logits)
    return logits.softmax(-1) @ value
