# wrong: tree-mask tree-causal line 7
import math
import torch


def tree_mask(back):
    return torch.ones(len(back), len(back), dtype=torch.bool, device=back.device).tril()


def tree_attention(query, key, value, back):
    t, s = query.size(-2), key.size(-2)
    keep = torch.ones(t, s, dtype=torch.bool, device=query.device)
    keep[:, s - t:] = tree_mask(back)
    a = torch.einsum("bhtd,bhsd->bhts", query, key) / math.sqrt(query.size(-1))
    a = torch.where(keep, a, float("-inf"))
    return torch.einsum("bhts,bhsd->bhtd", torch.softmax(a, dim=-1), value)
