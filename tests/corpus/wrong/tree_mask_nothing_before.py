# wrong: tree-mask prefix-hidden line 18
import torch


def tree_mask(back):
    rows = torch.eye(len(back), dtype=torch.bool, device=back.device)
    for i, step in enumerate(back.tolist()):
        if step <= i:
            rows[i] = rows[i] | rows[i - step]
    return rows


def tree_attention(query, key, value, back):
    T = query.shape[-2]
    S = key.shape[-2]
    full = torch.zeros(T, S, dtype=torch.bool, device=query.device)
    full[:, S - T:] = tree_mask(back)
    scores = query @ key.mT / query.shape[-1] ** 0.5
    scores = scores.masked_fill(~full, float("-inf"))
    return scores.softmax(-1) @ value
