import math
import torch


def tree_mask(back):
    n = back.shape[0]
    idx = torch.arange(n, device=back.device)
    parent = (idx - back).clamp(min=0).tolist()
    mask = torch.eye(n, dtype=torch.bool, device=back.device)
    for i in range(1, n):
        mask[i] |= mask[parent[i]]
    return mask


def tree_attention(query, key, value, back):
    n, d = query.shape[-2:]
    P = key.shape[-2] - n
    dtype = query.dtype
    if dtype != torch.float64:
        query, key, value = query.float(), key.float(), value.float()
    att = query @ key.transpose(-2, -1) / math.sqrt(d)
    see = torch.cat([torch.ones(n, P, dtype=torch.bool, device=query.device), tree_mask(back)], dim=1)
    att = att.masked_fill(~see, float("-inf")).softmax(-1)
    return (att @ value).to(dtype)
