import torch
from torch import Tensor


def tree_mask(back: Tensor) -> Tensor:
    n = back.shape[0]
    steps = back.tolist()
    mask = torch.zeros(n, n, dtype=torch.bool, device=back.device)
    for i in range(n):
        j = i
        while j > 0:
            mask[i, j] = True
            j = j - steps[j]
    return mask


def tree_attention(query: Tensor, key: Tensor, value: Tensor, back: Tensor) -> Tensor:
    n, d = query.shape[2], query.shape[3]
    prefix = key.shape[2] - n
    seen = torch.ones(n, prefix + n, dtype=torch.bool, device=query.device)
    seen[:, prefix:] = tree_mask(back)
    scores = query @ key.transpose(2, 3) / d**0.5
    scores = scores.masked_fill(~seen, float("-inf"))
    return torch.softmax(scores, dim=-1) @ value
