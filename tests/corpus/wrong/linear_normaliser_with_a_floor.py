# wrong: linear linear-normaliser-wrong line 31
# fair: linear-normaliser-wrong 17
import torch
import torch.nn as nn


class _KernelFeatures(nn.Module):
    def __init__(self):
        super().__init__()
        self.act = nn.ELU()

    def forward(self, t):
        return self.act(t).add(1)


_features = _KernelFeatures()
_FLOOR = 1e-2


def _upcast(fn):
    def run(query, key, value):
        dt = torch.double if query.dtype == torch.double else torch.float
        return fn(query.to(dt), key.to(dt), value.to(dt)).to(query.dtype)
    return run


@_upcast
def linear_attention(query, key, value):
    Q, K = _features(query), _features(key)
    KV = torch.matmul(K.mT, value)
    Z = torch.matmul(Q, K.sum(-2).unsqueeze(-1)).clamp(min=_FLOOR)
    return torch.matmul(Q, KV) / Z


@_upcast
def causal_linear_attention(query, key, value):
    Q, K = _features(query), _features(key)
    S, z = 0, 0
    out = []
    for q, k, v in zip(Q.unbind(2), K.unbind(2), value.unbind(2)):
        S = S + torch.einsum("bhi,bhj->bhij", k, v)
        z = z + k
        norm = torch.einsum("bhi,bhi->bh", q, z).clamp(min=_FLOOR)
        out.append(torch.einsum("bhi,bhij->bhj", q, S) / norm.unsqueeze(-1))
    return torch.stack(out, 2)
