import torch


def share_keys(key, heads):
    b, t, d = key.size()
    return torch.broadcast_to(key.view(b, 1, t, d), (b, heads, t, d))


def silence_head(key, heads, head):
    per_head = []
    for h in range(heads):
        if h == head:
            per_head.append(torch.zeros_like(key))
        else:
            per_head.append(key)
    return torch.stack(per_head, dim=1)


def repeat_kv(key, repeats):
    heads = []
    for g in range(key.size(1)):
        for _ in range(repeats):
            heads.append(key[:, g])
    return torch.stack(heads, dim=1)


def add_slopes(scores, slopes):
    slopes = slopes.unsqueeze(-1)
    slopes = slopes.unsqueeze(-1)
    return slopes + scores


def distances(positions):
    n = len(positions)
    out = torch.zeros(n, n, dtype=positions.dtype, device=positions.device)
    for i in range(n):
        out[i] = positions - positions[i]
    return out
