import torch
import torch.nn.functional as F

phi = lambda t: F.elu(t) + 1


def linear_attention(query, key, value):
    q, k = phi(query), phi(key)
    kv = torch.einsum("bhnd,bhne->bhde", k, value)
    z = torch.einsum("bhld,bhd->bhl", q, k.sum(2))
    return torch.einsum("bhld,bhde->bhle", q, kv) / z[..., None]


def causal_linear_attention(query, key, value):
    q, k = phi(query), phi(key)
    state = torch.einsum("bhnd,bhne->bhnde", k, value).cumsum(2)
    z = torch.einsum("bhnd,bhmd->bhn", q, k)
    return torch.einsum("bhnd,bhnde->bhne", q, state) / z[..., None]
