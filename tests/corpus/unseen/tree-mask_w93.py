import torch


def tree_mask(back):
    n = back.numel()
    parents = (torch.arange(n, device=back.device) - back).tolist()
    mask = torch.zeros(n, n, dtype=torch.bool, device=back.device)
    for i, p in enumerate(parents):
        mask[i, i] = True
        while p >= 0:
            mask[i, p] = True
            p = parents[p]
    return mask


def tree_attention(query, key, value, back):
    B, H, n, d = query.shape
    prefix = key.shape[2] - n
    tree = tree_mask(back)
    allowed = torch.cat([tree, tree.new_ones(n, prefix)], dim=1)
    s = torch.einsum("bhid,bhjd->bhij", query / d**0.5, key)
    s = torch.where(allowed, s, torch.finfo(s.dtype).min)
    w = torch.softmax(s, dim=-1)
    return torch.einsum("bhij,bhjd->bhid", w, value)
