# wrong: tree-mask tree-siblings-seen line 14
import math
import torch


def tree_mask(back):
    n = back.size(0)
    parent = torch.arange(n, device=back.device) - back
    mask = torch.eye(n, dtype=torch.bool, device=back.device)
    for i in range(n):
        if parent[i] >= 0:
            mask[i] = mask[i] | mask[parent[i]]
    same = parent.unsqueeze(1) == parent.unsqueeze(0)
    return mask | same


def tree_attention(query, key, value, back):
    n = query.size(2)
    past = key.size(2) - n
    s = query.matmul(key.transpose(-2, -1)) / math.sqrt(query.size(-1))
    in_tree = s[..., past:].masked_fill(~tree_mask(back), -math.inf)
    w = torch.softmax(torch.cat((s[..., :past], in_tree), dim=-1), dim=-1)
    return w.matmul(value)
