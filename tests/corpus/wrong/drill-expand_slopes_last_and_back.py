# wrong: drill-expand axes-wrong-order line 20
import torch


def share_keys(key, heads):
    return key[:, None].expand(-1, heads, -1, -1)


def silence_head(key, heads, head):
    kept = torch.arange(heads, device=key.device) != head
    return key[:, None] * kept.to(key.dtype)[:, None, None]


def repeat_kv(key, repeats):
    return torch.cat([one for head in key.split(1, dim=1) for one in [head] * repeats], dim=1)


def add_slopes(scores, slopes):
    by_key = torch.einsum("bhqk->bkqh", scores)
    return torch.einsum("bkqh->bhkq", by_key + slopes)


def distances(positions):
    return positions[None] - positions[:, None]
