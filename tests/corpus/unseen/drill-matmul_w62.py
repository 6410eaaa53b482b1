# Hausaufgabe: Gewichte mal Werte, fünfmal
import torch
from torch import Tensor


def by_operator(weights: Tensor, values: Tensor) -> Tensor:
    return weights @ values


def by_matmul(weights: Tensor, values: Tensor) -> Tensor:
    return torch.matmul(weights, values)


def by_einsum(weights: Tensor, values: Tensor) -> Tensor:
    # s = Schlüssel; fehlt rechts, wird also summiert
    return torch.einsum("bhas,bhsd->bhad", weights, values)


def by_bmm(weights: Tensor, values: Tensor) -> Tensor:
    b, h, a, s = weights.shape
    d = values.shape[3]
    gewichte = weights.contiguous().view(b * h, a, s)
    werte = values.contiguous().view(b * h, s, d)
    return gewichte.bmm(werte).view(b, h, a, d)


def by_broadcast(weights: Tensor, values: Tensor) -> Tensor:
    gewichte = weights[..., None]      # (b, h, a, s, 1)
    werte = values[..., None, :, :]    # (b, h, 1, s, d)
    produkt = gewichte.multiply(werte)  # (b, h, a, s, d)
    return produkt.sum(dim=2)
