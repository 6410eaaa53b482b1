import torch


def share_keys(key, heads):
    b, l, d = key.shape
    s0, s1, s2 = key.stride()
    return key.as_strided((b, heads, l, d), (s0, 0, s1, s2), key.storage_offset())


def silence_head(key, heads, head):
    on = torch.ones(heads, dtype=key.dtype, device=key.device)
    on[head] = 0
    return torch.where(on.view(1, -1, 1, 1).bool(), key[:, None], torch.zeros_like(key)[:, None])


def repeat_kv(key, repeats):
    idx = torch.arange(key.shape[1] * repeats, device=key.device) // repeats
    return key.index_select(1, idx)


def add_slopes(scores, slopes):
    return (scores.movedim(1, -1) + slopes).movedim(-1, 1)


def distances(positions):
    return -torch.sub(positions.unsqueeze(1), positions)
