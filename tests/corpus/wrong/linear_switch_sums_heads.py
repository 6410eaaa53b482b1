# wrong: linear linear-wrong-axis line 10
import torch
import torch.nn.functional as F


def linear_attention(q, k, v, *, is_causal: bool = False):
    """Both in one; the running sum of the states runs along the heads."""
    q, k = F.elu(q) + 1, F.elu(k) + 1
    if is_causal:
        kv = torch.einsum("bhnd,bhne->bhnde", k, v).cumsum(1)
        z = k.cumsum(1)
        return torch.einsum("bhnd,bhnde->bhne", q, kv) / (q * z).sum(-1, keepdim=True)
    return q @ (k.mT @ v) / (q @ k.sum(2, keepdim=True).mT)
