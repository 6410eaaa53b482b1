import torch


def share_keys(key, heads):
    b, n, d = key.shape
    sb, sn, sd = key.stride()
    # a stride of 0 along the heads, written by hand
    return torch.as_strided(key, (b, heads, n, d), (sb, 0, sn, sd), key.storage_offset())


def silence_head(key, heads, head):
    speaking = torch.arange(heads, device=key.device) != head
    return torch.where(speaking[:, None, None], key[:, None], torch.zeros((), dtype=key.dtype, device=key.device))


def repeat_kv(key, repeats):
    parents = torch.arange(key.size(1) * repeats, device=key.device) // repeats
    return torch.index_select(key, 1, parents)


def add_slopes(scores, slopes):
    return torch.add(scores.movedim(1, -1), slopes).movedim(-1, 1)


def distances(positions):
    return -torch.sub(positions[:, None], positions)
