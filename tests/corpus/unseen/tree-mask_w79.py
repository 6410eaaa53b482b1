import torch
import torch.nn.functional as F


def tree_mask(back):
    n = back.shape[0]
    mask = torch.zeros(n, n, dtype=torch.bool, device=back.device)
    for i, step in enumerate(back.tolist()):
        parent = i - step
        if parent != -1:
            mask[i] = mask[parent]
        mask[i, i] = True
    return mask


def tree_attention(query, key, value, back):
    b, h, n, d = query.shape
    before = key.shape[2] - n
    allowed = F.pad(tree_mask(back), (before, 0), value=True)
    logits = torch.einsum("bhnd,bhmd->bhnm", query * d ** -0.5, key)
    logits = logits.masked_fill(allowed.logical_not(), float("-inf"))
    return torch.einsum("bhnm,bhmd->bhnd", F.softmax(logits, dim=-1), value)
