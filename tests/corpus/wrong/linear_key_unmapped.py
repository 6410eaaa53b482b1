# wrong: linear linear-feature-map-missing line 9
# fair: linear-feature-map-missing 8, 9, 10
import torch
import torch.nn.functional as F


def linear_attention(query, key, value):
    q = F.elu(query) + 1
    kv = torch.einsum("bhkd,bhkv->bhdv", key, value)
    z = torch.einsum("bhqd,bhd->bhq", q, key.sum(2))
    return torch.einsum("bhqd,bhdv->bhqv", q, kv) / z[..., None]


def causal_linear_attention(query, key, value):
    q, k = F.elu(query) + 1, F.elu(key) + 1
    kv = torch.einsum("bhtd,bhtv->bhtdv", k, value).cumsum(2)
    z = torch.einsum("bhtd,bhtd->bht", q, k.cumsum(2))
    return torch.einsum("bhtd,bhtdv->bhtv", q, kv) / z[..., None]
