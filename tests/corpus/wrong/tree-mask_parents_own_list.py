# wrong: tree-mask tree-rows-shared line 13
import torch


def tree_mask(back):
    n = len(back)
    rows = []
    for i in range(n):
        parent = i - int(back[i])
        if parent < 0:
            row = [False] * n
        else:
            row = rows[parent]
        row[i] = True
        rows.append(row)
    return torch.tensor(rows, dtype=torch.bool, device=back.device).reshape(n, n)


def tree_attention(query, key, value, back):
    b, h, n, d = query.shape
    p = key.shape[2] - n
    s = torch.einsum("bhid,bhjd->bhij", query, key) / d ** 0.5
    s[..., p:] = s[..., p:].masked_fill(~tree_mask(back), float("-inf"))
    return torch.einsum("bhij,bhjd->bhid", torch.softmax(s, dim=-1), value)
