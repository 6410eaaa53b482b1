# attn-kata: tree-mask
import torch
import torch.nn.functional as F


def tree_mask(back):
    """token i 能看到自己和所有祖先"""
    n = back.size(0)
    # 没有父节点的记为 -1
    parents = (torch.arange(n, device=back.device) - back).clamp(min=-1).tolist()
    mask = torch.eye(n, dtype=torch.bool, device=back.device)
    for i, p in enumerate(parents):
        mask[i] = mask[i] | mask[p]
    return mask


def tree_attention(query, key, value, back):
    n, m = query.size(2), key.size(2)
    full = torch.ones(n, m, dtype=torch.bool, device=query.device)
    full[:, m - n:] = tree_mask(back)
    scores = torch.matmul(query, key.mT) * query.size(-1) ** -0.5
    scores = torch.where(full, scores, torch.full_like(scores, float("-inf")))
    return torch.matmul(F.softmax(scores, dim=-1), value)
