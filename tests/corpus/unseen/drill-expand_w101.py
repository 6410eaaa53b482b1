import torch
from torch import einsum
from torch.nn import functional as F


def share_keys(key, heads):
    return key[:, None].expand(key.shape[0], heads, *key.shape[1:])


def silence_head(key, heads, head):
    gate = F.one_hot(torch.tensor(head, device=key.device), heads)
    return einsum("bnd,h->bhnd", key, gate.to(key.dtype))


def repeat_kv(key, repeats):
    return key.repeat_interleave(repeats, dim=1)


def add_slopes(scores, slopes):
    return (scores.movedim(1, -1) + slopes).movedim(-1, 1)


def distances(positions):
    return torch.sub(*torch.meshgrid(positions, positions, indexing="xy"))
