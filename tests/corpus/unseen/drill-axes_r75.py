"""Axes by name: a tiny lookup turns letters into numbers, the spelling asked for does the rest."""
import torch

BLHD = "blhd"
HBLD = "hbld"


def _at(letter, layout=BLHD):
    return layout.index(letter)


def by_transpose(x):
    return torch.transpose(x, _at("l"), _at("h"))


def by_permute(x):
    return torch.permute(x, [_at(letter) for letter in "bhld"])


def by_swapaxes(x):
    return torch.swapdims(x, dim0=_at("h"), dim1=_at("l"))


def by_movedim(x):
    return torch.moveaxis(x, source=_at("h"), destination="bhld".index("h"))


def swap_last(key):
    return torch.adjoint(key) if not key.is_complex() else key.mT


def swap_last_copy(key):
    fresh = torch.empty(key.shape[:-2] + (key.shape[-1], key.shape[-2]), dtype=key.dtype, device=key.device)
    # a copy into memory laid out row by row; autograd follows copy_
    return fresh.copy_(key.mT)


def heads_to_front(x):
    return torch.einsum("blhd->hbld", x)


def heads_to_back(x):
    return x.permute([HBLD.index(letter) for letter in BLHD]).clone(memory_format=torch.contiguous_format)
