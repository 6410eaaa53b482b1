import math

import torch


def tree_mask(back):
    n = back.shape[0]
    i = torch.arange(n, device=back.device)
    # one step up, or none
    step = (i[None, :] == (i - back)[:, None]).float() + torch.eye(n, device=back.device)
    # squaring doubles how far up a step leads
    for _ in range(int(math.log2(n)) if n > 1 else 0):
        step = (step @ step).clamp(max=1)
    return step > 0


def tree_attention(query, key, value, back):
    n, m = query.shape[2], key.shape[2]
    mask = tree_mask(back)
    mask = torch.cat([mask.new_ones(n, m - n), mask], dim=1)
    s = torch.einsum("bhid,bhjd->bhij", query, key) / query.shape[-1] ** 0.5
    s = s.masked_fill(~mask, -torch.inf)
    return torch.einsum("bhij,bhjd->bhid", s.softmax(-1), value)
