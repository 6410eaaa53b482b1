# wrong: tree-mask tree-parent-only line 11
import torch


def tree_mask(back):
    n = len(back)
    mask = torch.eye(n, dtype=torch.bool, device=back.device)
    for i in range(n):
        parent = i - int(back[i])
        if parent >= 0:
            mask[i, parent] = True
    return mask


def tree_attention(query, key, value, back):
    prefix = key.shape[2] - query.shape[2]
    mask = torch.nn.functional.pad(tree_mask(back), (prefix, 0), value=True)
    scores = query @ key.transpose(-1, -2) / query.shape[-1] ** 0.5
    return scores.masked_fill(~mask, float("-inf")).softmax(-1) @ value
