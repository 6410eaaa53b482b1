# right: linear
import torch
import torch.nn.functional as F


def linear_attention(query, key, value):
    # The normaliser is one more column of ones.
    extended = torch.cat([value, torch.ones_like(value[..., :1])], dim=-1)
    query, key = F.elu(query) + 1, F.elu(key) + 1
    gathered = query @ (key.mT @ extended)
    return gathered[..., :-1] / gathered[..., -1:]


def causal_linear_attention(query, key, value):
    extended = torch.cat([value, torch.ones_like(value[..., :1])], dim=-1)
    query, key = F.elu(query) + 1, F.elu(key) + 1
    states = torch.einsum("bhnd,bhne->bhnde", key, extended).cumsum(dim=2)
    gathered = torch.einsum("bhnd,bhnde->bhne", query, states)
    return gathered[..., :-1] / gathered[..., -1:]
