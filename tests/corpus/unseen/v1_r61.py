# attn-kata: v1
# Old JAX habits: the layer is a pure function of a pytree, written for ONE query,
# and vmap adds the other axes.
import torch
from torch import nn
from torch.func import vmap

ROLES = ("query", "key", "value")


def lecun_normal(fan_in: int, fan_out: int) -> torch.Tensor:
    return torch.randn(fan_in, fan_out) / fan_in**0.5


def attend_one(q, ks, vs):
    """q [D], ks [T, D], vs [T, D] -> [D]"""
    logits = (ks @ q) * q.shape[-1] ** -0.5
    log_probs = logits - torch.logsumexp(logits, dim=0)
    return torch.exp(log_probs) @ vs


# inner vmap: over the queries of one example; outer vmap: over the examples
attend = vmap(vmap(attend_one, in_dims=(0, None, None)))


def apply_fn(params, x):
    q, k, v = (x @ params[f"{r}_kernel"] + params[f"{r}_bias"] for r in ROLES)
    return attend(q, k, v)


class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.params = nn.ParameterDict()
        for role in ROLES:
            self.params[f"{role}_kernel"] = nn.Parameter(lecun_normal(hidden_dim, hidden_dim))
            self.params[f"{role}_bias"] = nn.Parameter(torch.zeros(hidden_dim))

    def forward(self, x):
        return apply_fn(dict(self.params.items()), x)
