import torch
import torch.nn.functional as F


def tree_mask(back):
    steps = back.tolist()
    rows = []
    for i in range(len(steps)):
        row = [False] * len(steps)
        j = i
        while j >= 0:
            row[j] = True
            j -= steps[j]
        rows.append(row)
    return torch.tensor(rows, dtype=torch.bool, device=back.device)


def tree_attention(query, key, value, back):
    n, total = query.size(2), key.size(2)
    mask = F.pad(tree_mask(back), (0, total - n), value=True)
    scores = torch.matmul(query, key.transpose(2, 3)) / query.size(-1) ** 0.5
    scores = scores.masked_fill(mask.logical_not(), float("-inf"))
    return torch.matmul(F.softmax(scores, dim=-1), value)
