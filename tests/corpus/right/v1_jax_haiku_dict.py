# right: v1
"""Functional core, imperative shell: init_params / apply as one would write them in JAX."""
import torch


def init_params(d, scale=0.02):
    params = {}
    for who in ("query", "key", "value"):
        params[f"{who}_w"] = torch.randn(d, d) * scale
        params[f"{who}_b"] = torch.zeros(d)
    return params


def dense(params, who, x):
    return torch.einsum("btd,de->bte", x, params[f"{who}_w"]) + params[f"{who}_b"]


def stable_softmax(logits, axis=-1):
    shifted = logits - logits.amax(axis, keepdim=True).detach()
    unnormalized = shifted.exp()
    return unnormalized / unnormalized.sum(axis, keepdim=True)


def apply(params, x):
    q = dense(params, "query", x)
    k = dense(params, "key", x)
    v = dense(params, "value", x)
    q = q * q.shape[-1] ** -0.5
    logits = torch.einsum("btd,bsd->bts", q, k)
    return torch.einsum("bts,bsd->btd", stable_softmax(logits), v)


class AttentionModule(torch.nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.params = torch.nn.ParameterDict(
            {name: torch.nn.Parameter(value) for name, value in init_params(d_model).items()}
        )

    def forward(self, x):
        return apply(self.params, x)
