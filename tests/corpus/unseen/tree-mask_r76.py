import torch


def tree_mask(back):
    mask = torch.eye(len(back), dtype=torch.bool, device=back.device)
    for i, step in enumerate(back.tolist()):
        if i - step >= 0:
            mask[i] |= mask[i - step]
    return mask


def tree_attention(query, key, value, back):
    n, S = query.shape[-2], key.shape[-2]
    seen = torch.cat([torch.ones(n, S - n, dtype=torch.bool, device=query.device), tree_mask(back)], -1)
    s = query @ key.mT * query.shape[-1] ** -0.5
    s = torch.where(seen, s, torch.finfo(s.dtype).min)
    return s.softmax(-1) @ value
