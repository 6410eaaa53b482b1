# wrong: tree-mask tree-turned line 10, 13
import torch


def tree_mask(back):
    n = back.shape[0]
    m = torch.eye(n, dtype=torch.bool, device=back.device)
    for i in reversed(range(n)):
        if i - back[i] >= 0:
            m[i - back[i]] |= m[i]
    # children have been added to their parents' rows
    m = m.contiguous()
    return m


def tree_attention(query, key, value, back):
    n = query.shape[2]
    p = key.shape[2] - n
    s = torch.matmul(query, key.transpose(2, 3)) / query.shape[3] ** 0.5
    hide = torch.cat([torch.zeros(n, p, dtype=torch.bool, device=query.device), ~tree_mask(back)], dim=1)
    s = s.masked_fill(hide, torch.finfo(s.dtype).min)
    return torch.matmul(s.softmax(dim=-1), value)
