# bootcamp week 6 – axes exercises (Marta)
import torch
from torch import Tensor


def by_transpose(x: Tensor) -> Tensor:
    resultado = torch.transpose(x, 1, 2)
    return resultado


def by_permute(x: Tensor) -> Tensor:
    resultado = torch.permute(x, (0, 2, 1, 3))
    return resultado


def by_swapaxes(x: Tensor) -> Tensor:
    resultado = torch.swapaxes(x, axis0=2, axis1=1)
    return resultado


def by_movedim(x: Tensor) -> Tensor:
    resultado = torch.movedim(x, source=2, destination=1)
    return resultado


def swap_last(key: Tensor) -> Tensor:
    # las dos últimas
    return key.swapdims(2, 3)


def swap_last_copy(key: Tensor) -> Tensor:
    return key.swapdims(2, 3).contiguous()


def heads_to_front(x: Tensor) -> Tensor:
    batch, length, heads, head_dim = x.size()
    x = x.transpose(1, 2)                                  # (batch, heads, length, head_dim)
    x = x.reshape(heads, batch, length, head_dim)          # cabezas delante
    return x


def heads_to_back(x: Tensor) -> Tensor:
    x = x.transpose(0, 1)          # (batch, heads, length, head_dim)
    x = x.transpose(1, 2)          # (batch, length, heads, head_dim)
    return x.contiguous()
