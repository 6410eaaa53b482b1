from functools import partial

import torch
from torch.func import vmap


def share_keys(key, heads):
    b, t, d = key.shape
    return torch.broadcast_to(key.view(b, 1, t, d), (b, heads, t, d))


def silence_head(key, heads, head):
    on = (torch.arange(heads, device=key.device) != head).to(key.dtype)
    return torch.einsum("btd,h->bhtd", key, on).contiguous()


def repeat_kv(key, repeats):
    return torch.stack([key] * repeats, dim=2).flatten(1, 2)


def add_slopes(scores, slopes):
    return vmap(torch.add, in_dims=(1, 0), out_dims=1)(scores, slopes)


def distances(positions):
    keys = positions.float()
    row = partial(torch.sub, keys)
    return vmap(row)(keys).round().long()
