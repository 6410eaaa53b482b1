import torch


def share_keys(key, heads):
    batch, length, dim = key.shape
    return key.view(batch, 1, length, dim).expand(batch, heads, length, dim)


def silence_head(key, heads, head):
    audible = torch.ones(heads, dtype=key.dtype, device=key.device)
    audible[head] = 0
    return torch.einsum("bnd,h->bhnd", key, audible)


def repeat_kv(key, repeats):
    index = torch.arange(key.shape[1] * repeats, device=key.device)
    index = index.div(repeats, rounding_mode="floor")
    return key.index_select(1, index)


def add_slopes(scores, slopes):
    lifted = slopes.reshape(1, -1, 1, 1)
    return torch.add(scores, lifted)


def _line(positions):
    first = positions.min()
    return first + torch.arange(positions.numel(), device=positions.device)


def distances(positions):
    p = _line(positions)
    return torch.sub(p.unsqueeze(0), p.unsqueeze(1))
