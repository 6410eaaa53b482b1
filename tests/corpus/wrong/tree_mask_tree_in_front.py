# wrong: tree-mask prefix-behind line 20, 21
# fair: prefix-behind 19
import torch


def tree_mask(back):
    n = len(back)
    seen = [[i == j for j in range(n)] for i in range(n)]
    for i, step in enumerate(back.tolist()):
        if i >= step:
            seen[i] = [a or b for a, b in zip(seen[i], seen[i - step])]
    return torch.tensor(seen, device=back.device)


def tree_attention(q, k, v, back):
    n, total = q.shape[2], k.shape[2]
    tree = tree_mask(back)
    prefix = torch.ones(n, total - n, dtype=torch.bool, device=q.device)
    allowed = torch.cat([tree, prefix], dim=1)
    weights = torch.einsum("bhid,bhjd->bhij", q, k) / q.shape[3] ** 0.5
    weights = weights.masked_fill(~allowed, -torch.inf).softmax(-1)
    return torch.einsum("bhij,bhjd->bhid", weights, v)
