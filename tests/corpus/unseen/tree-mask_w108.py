import math
import torch


def ancestors(back, i):
    """yield i's ancestors, nearest first"""
    j = i - back[i]
    while j > 0:
        yield j
        j = j - back[j]


def tree_mask(back):
    steps = back.tolist()
    rows = []
    for i in range(len(steps)):
        row = [False] * len(steps)
        row[i] = True
        for j in ancestors(steps, i):
            row[j] = True
        rows.append(row)
    return torch.tensor(rows, device=back.device)


def tree_attention(query, key, value, back):
    m = tree_mask(back)
    prefix = key.shape[2] - query.shape[2]
    m = torch.cat([m.new_ones(m.shape[0], prefix), m], dim=1)
    q, k, v = query, key, value
    if q.element_size() == 2:
        q, k, v = q.float(), k.float(), v.float()
    w = torch.einsum("bhid,bhjd->bhij", q, k) / math.sqrt(q.shape[3])
    w[:, :, ~m] = float("-inf")
    w = torch.softmax(w, dim=3)
    return torch.einsum("bhij,bhjd->bhid", w, v).to(query.dtype)
