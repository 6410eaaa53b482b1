# wrong: drill-matmul einsum-letter-not-shared line 15
# q: Anfragen, k und t: Schlüssel
import torch


def by_operator(gewichte, werte):
    return gewichte @ werte


def by_matmul(gewichte, werte):
    return torch.matmul(gewichte, werte)


def by_einsum(gewichte, werte):
    return torch.einsum("bhqk, bhtd -> bhqd", gewichte, werte)


def by_bmm(gewichte, werte):
    form = gewichte.shape[:2]
    produkt = torch.bmm(gewichte.flatten(0, 1), werte.flatten(0, 1))
    return produkt.unflatten(0, form)


def by_broadcast(gewichte, werte):
    produkt = gewichte.unsqueeze(-1) * werte.unsqueeze(-3)
    return produkt.sum(-2)
