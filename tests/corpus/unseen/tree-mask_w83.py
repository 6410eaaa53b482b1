# attn-kata: tree-mask
import torch


def tree_mask(back):
    n = back.shape[0]
    parent = torch.arange(n, device=back.device) - back
    mask = torch.eye(n, dtype=torch.bool, device=back.device)
    cursor = parent.clone()
    # walk all tokens up at once
    for _ in range(n):
        alive = cursor >= 0
        if not alive.any():
            break
        rows = alive.nonzero().squeeze(1)
        mask[rows, cursor[rows]] = True
        cursor[rows] = cursor[rows] - 1
    return mask


def tree_attention(query, key, value, back):
    n = query.shape[2]
    prefix = key.shape[2] - n
    seen = torch.nn.functional.pad(tree_mask(back), (prefix, 0), value=True)
    s = torch.einsum("bhqd,bhkd->bhqk", query, key) * query.shape[-1] ** -0.5
    w = s.masked_fill(~seen, -torch.inf).softmax(-1)
    return torch.einsum("bhqk,bhkd->bhqd", w, value)
