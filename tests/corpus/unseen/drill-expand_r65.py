from functools import partial, reduce
from operator import add, sub

import torch

outer = lambda op, a, b: op(a[None, :], b[:, None])


def share_keys(key, heads):
    return torch.broadcast_to(key[:, None], (key.shape[0], heads, *key.shape[1:]))


def silence_head(key, heads, head):
    pick = lambda h: torch.zeros_like(key) if h == head else key
    return torch.stack([*map(pick, range(heads))], dim=1)


def repeat_kv(key, repeats):
    def doubled(acc, one):
        return acc + [one] * repeats
    return torch.stack(reduce(doubled, key.unbind(1), []), dim=1)


def add_slopes(scores, slopes):
    views = (partial(torch.unsqueeze, dim=-1),) * 2
    return add(scores, reduce(lambda t, f: f(t), views, slopes))


def distances(positions):
    return outer(sub, positions, positions)
