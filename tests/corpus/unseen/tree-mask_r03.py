import math

import torch


def _lineage(back):
    """For every drafted token the list of itself and its ancestors."""
    lines = []
    for i, hop in enumerate(back.tolist()):
        up = i - int(hop)
        lines.append([i] + (lines[up] if up >= 0 else []))
    return lines


def tree_mask(back):
    n = back.numel()
    flat = torch.zeros(n * n, dtype=torch.bool)
    flat[[i * n + j for i, line in enumerate(_lineage(back)) for j in line]] = True
    return flat.reshape(n, n).to(back.device)


def tree_attention(query, key, value, back):
    n, head_dim = query.shape[-2:]
    past = key.shape[-2] - n
    q = query / math.sqrt(head_dim)

    s_past = q @ key[..., :past, :].mT
    s_tree = (q @ key[..., past:, :].mT).masked_fill(~tree_mask(back), -math.inf)
    w = torch.cat((s_past, s_tree), dim=-1).softmax(dim=-1)
    w_past, w_tree = w.split((past, n), dim=-1)
    return w_past @ value[..., :past, :] + w_tree @ value[..., past:, :]
