import torch


def ancestors(back, i):
    """numbers of all ancestors of i, nearest first"""
    chain = []
    p = i - back[i]
    while p > 0:
        chain.append(p)
        p = p - back[p]
    return chain


def tree_mask(back):
    steps = [int(x) for x in back]
    rows = []
    for i in range(len(steps)):
        row = [False] * len(steps)
        for j in [i] + ancestors(steps, i):
            row[j] = True
        rows.append(row)
    return torch.tensor(rows, dtype=torch.bool, device=back.device)


def tree_attention(query, key, value, back):
    b, h, n, d = query.shape
    prefix = key.shape[2] - n
    logits = torch.einsum("bhnd,bhkd->bhnk", query, key) * d ** -0.5
    bias = torch.zeros(n, prefix + n, dtype=logits.dtype, device=logits.device)
    bias[:, prefix:] = bias[:, prefix:].masked_fill(tree_mask(back).logical_not(), float("-inf"))
    w = torch.softmax(logits + bias, dim=-1)
    return torch.einsum("bhnk,bhkd->bhnd", w, value)
