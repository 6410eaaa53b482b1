import math
import torch
from torch.nn import functional as F

def tree_mask(back):
    T = back.size(0)
    mask = torch.eye(T, dtype=torch.bool, device=back.device)
    for i in range(T):
        p = i - int(back[i])
        if p >= 0:
            mask[i] |= mask[p] # everything the parent sees
    return mask

def tree_attention(query, key, value, back):
    B, nh, T, hs = query.size()
    S = key.size(2)
    dtype = query.dtype
    if dtype not in (torch.float32, torch.float64):
        query, key, value = query.float(), key.float(), value.float()

    # (T, T) -> (T, S), the prefix is open to everyone
    mask = tree_mask(back)
    mask = F.pad(mask, (0, S - T), value=True)

    # manual implementation of attention
    att = (query @ key.transpose(-2, -1)) * (1.0 / math.sqrt(hs))
    att = att.masked_fill(mask.view(1, 1, T, S) == 0, float('-inf'))
    att = F.softmax(att, dim=-1)
    y = att @ value # (B, nh, T, S) x (B, nh, S, hs) -> (B, nh, T, hs)
    return y.to(dtype)
