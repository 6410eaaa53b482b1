# wrong: linear linear-feature-map-other line 6
from torch.nn.functional import elu
import torch


fm = lambda x: elu(x)


def linear_attention(query, key, value):
    q, k = fm(query), fm(key)
    return (q @ (k.mT @ value)) / (q * k.sum(-2, keepdim=True)).sum(-1, keepdim=True)


def causal_linear_attention(query, key, value):
    q, k = fm(query), fm(key)
    top = torch.einsum("bhtd,bhtdv->bhtv", q, torch.einsum("bhtd,bhtv->bhtdv", k, value).cumsum(2))
    return top / (q * k.cumsum(2)).sum(-1, keepdim=True)
