# Cascade: the prefix part is the same for the whole tree, so keep it apart from the tree part
# and put both together with their common denominator.
import math

import torch


def tree_mask(back):
    n = back.shape[0]
    rows = []
    for i, step in enumerate(back.tolist()):
        row = rows[i - step].clone() if step <= i else torch.zeros(n, dtype=torch.bool)
        row[i] = True
        rows.append(row)
    return torch.stack(rows).to(back.device)


def tree_attention(query, key, value, back):
    orig = query.dtype
    if orig != torch.float64:
        query, key, value = query.float(), key.float(), value.float()
    n = query.shape[2]
    p = key.shape[2] - n
    k_pre, k_tree = key.split([p, n], dim=2)
    v_pre, v_tree = value.split([p, n], dim=2)

    q = query / math.sqrt(query.shape[-1])
    s_pre = q @ k_pre.transpose(-1, -2)
    s_tree = (q @ k_tree.transpose(-1, -2)).masked_fill(~tree_mask(back).to(q.device), -math.inf)

    # one reference point for both halves
    ref = s_pre if p > 0 else s_tree
    m = ref.amax(-1, keepdim=True)
    e_pre, e_tree = torch.exp(s_pre - m), torch.exp(s_tree - m)
    num = e_pre @ v_pre + e_tree @ v_tree
    den = e_pre.sum(-1, keepdim=True) + e_tree.sum(-1, keepdim=True)
    return (num / den).to(orig)
