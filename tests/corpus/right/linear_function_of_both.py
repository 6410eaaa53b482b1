# right: linear
import torch
from torch.nn.functional import elu


def _core(query, key, value, *, gather):
    q, k = elu(query) + 1, elu(key) + 1
    numerator, denominator = gather(q, k, value)
    return numerator / denominator.unsqueeze(-1)


def _everything(q, k, v):
    return torch.tensordot(q, torch.eye(q.shape[-1], dtype=q.dtype, device=q.device), 1) @ (k.transpose(-1, -2) @ v), (q * k.sum(-2, keepdim=True)).sum(-1)


def _so_far(q, k, v):
    # (batch, heads, head_dim, value_dim, length): the running sum on the last axis
    states = (k.transpose(-1, -2).unsqueeze(-2) * v.transpose(-1, -2).unsqueeze(-3)).cumsum(-1)
    top = (q.transpose(-1, -2).unsqueeze(-2) * states).sum(2).transpose(-1, -2)
    return top, (q * torch.cumsum(k, 2)).sum(-1)


def linear_attention(query, key, value):
    return _core(query, key, value, gather=_everything)


def causal_linear_attention(query, key, value):
    return _core(query, key, value, gather=_so_far)
