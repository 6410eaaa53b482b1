# right: linear remarks: switch-off
import torch
import torch.nn.functional as F


def linear_attention(q, k, v, causal=False):
    """Both in one: a running state where it is causal, else one state for all."""
    q, k = F.elu(q) + 1, F.elu(k) + 1
    if causal:
        kv = torch.einsum("bhnd,bhne->bhnde", k, v).cumsum(2)
        z = k.cumsum(2)
        return torch.einsum("bhnd,bhnde->bhne", q, kv) / (q * z).sum(-1, keepdim=True)
    return q @ (k.mT @ v) / (q @ k.sum(2, keepdim=True).mT)
