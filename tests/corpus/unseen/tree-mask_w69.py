import torch
import torch.nn.functional as F


def tree_mask(back):
    n = back.shape[0]
    m = torch.zeros(n, n, dtype=torch.bool, device=back.device)
    m.fill_diagonal_(True)
    up = torch.arange(n, device=back.device) - back
    for i, p in enumerate(up.tolist()):
        if p >= 0:
            m[i].logical_or_(m[p])
    return m


def tree_attention(query, key, value, back):
    n, k = query.size(2), key.size(2)
    see = F.pad(tree_mask(back), (0, k - n), value=True)
    s = torch.einsum("...qd,...kd->...qk", query, key).mul_(query.size(-1) ** -0.5)
    s.masked_fill_(see.logical_not_(), float("-inf"))
    return torch.einsum("...qk,...kd->...qd", s.softmax(-1), value)
