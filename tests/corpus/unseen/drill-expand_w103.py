import torch


def cast(t, dtype):
    return t.to(dtype)


def expand_dims(t, axis):
    return torch.unsqueeze(t, axis)


def share_keys(key, heads):
    return expand_dims(key, 1).expand(-1, heads, -1, -1)


def silence_head(key, heads, head):
    one_hot = torch.nn.functional.one_hot(torch.tensor(head, device=key.device), heads)
    keep = cast(1 - one_hot, key.dtype)
    return torch.multiply(expand_dims(key, 1), keep.reshape([1, heads, 1, 1]))


def repeat_kv(key, repeats):
    return torch.repeat_interleave(key, repeats, dim=1)


def add_slopes(scores, slopes):
    return torch.add(scores, expand_dims(expand_dims(slopes, -1), -1))


def distances(positions):
    p = cast(positions, torch.float32)
    delta = torch.subtract(expand_dims(p, 0), expand_dims(p, 1))
    return cast(torch.round(delta), torch.int64)
