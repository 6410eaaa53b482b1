import torch

# index-based everything


def share_keys(key, heads):
    return key.unsqueeze(1).expand((-1, heads, -1, -1))


def silence_head(key, heads, head):
    mask = torch.arange(heads, device=key.device) == head
    return torch.where(mask[None, :, None, None], torch.zeros_like(key[:, :1, :1, None]), key[:, None])


def repeat_kv(key, repeats):
    kv_heads = key.shape[1]
    source = torch.arange(kv_heads * repeats, device=key.device).remainder(kv_heads)
    return key[:, source]


def add_slopes(scores, slopes):
    return torch.add(scores, slopes[None, :, None, None])


def distances(positions):
    return torch.sub(positions, positions.unsqueeze(-1))
