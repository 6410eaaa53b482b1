import torch


def share_keys(key, heads):
    return torch.broadcast_to(key[:, None], (key.shape[0], heads, *key.shape[1:]))


def silence_head(key, heads, head):
    muted = torch.arange(heads, device=key.device).eq(head)[:, None, None]
    return key[:, None].repeat(1, heads, 1, 1).masked_fill_(muted, 0)


def repeat_kv(key, repeats):
    source = torch.arange(key.size(1) * repeats, device=key.device) // repeats
    return key[:, source]


def add_slopes(scores, slopes):
    # heads last, add, and back
    return (scores.movedim(1, -1) + slopes).movedim(-1, 1)


def distances(positions):
    return torch.sub(positions, positions.unsqueeze(1))
