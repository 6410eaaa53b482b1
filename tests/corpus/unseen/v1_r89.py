# I come from jax: parameters are a pytree, the layer is a pure function of (params, x).
import torch
from torch import nn


def init_params(d):
    init = lambda: torch.randn(d, d) * d ** -0.5
    return {"wq": init(), "wk": init(), "wv": init()}


def nn_softmax(logits, axis=-1):
    unnormalized = torch.exp(logits - torch.amax(logits, dim=axis, keepdim=True))
    return unnormalized / torch.sum(unnormalized, dim=axis, keepdim=True)


def apply(params, x):
    # x: [b, t, d]
    q = torch.einsum("btd,dh->bth", x, params["wq"])
    k = torch.einsum("btd,dh->bth", x, params["wk"])
    v = torch.einsum("btd,dh->bth", x, params["wv"])
    logits = torch.einsum("bqh,bkh->bqk", q, k) * q.shape[-1] ** -0.5
    probs = nn_softmax(logits, axis=-1)
    return torch.einsum("bqk,bkh->bqh", probs, v)


class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.params = nn.ParameterDict(
            {name: nn.Parameter(w) for name, w in init_params(hidden_dim).items()}
        )

    def forward(self, x):
        return apply(self.params, x)
