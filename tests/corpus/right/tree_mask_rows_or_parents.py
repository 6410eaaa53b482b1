# right: tree-mask
import math
import torch


def tree_mask(back):
    n = back.shape[0]
    mask = torch.zeros(n, n, dtype=torch.bool, device=back.device)
    for i in range(n):
        p = i - int(back[i])
        if p >= 0:
            mask[i] = mask[p]
        mask[i, i] = True
    return mask


def tree_attention(query, key, value, back):
    T, S = query.size(2), key.size(2)
    mask = torch.ones(T, S, dtype=torch.bool, device=query.device)
    mask[:, S - T:] = tree_mask(back)
    scores = torch.matmul(query, key.transpose(2, 3)) / math.sqrt(query.size(-1))
    scores = scores.masked_fill(mask.logical_not(), float("-inf"))
    return torch.matmul(torch.softmax(scores, -1), value)
