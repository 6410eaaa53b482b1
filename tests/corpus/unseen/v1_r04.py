"""Single head attention, raw weights, jax-ish."""
from functools import partial

import torch
from torch import nn, Tensor


def _stable_softmax(logits: Tensor, axis: int) -> Tensor:
    shifted = logits - logits.amax(axis, keepdim=True).detach()
    unnormalized = shifted.exp()
    return unnormalized / unnormalized.sum(axis, keepdim=True)


def attend(params, x: Tensor, *, softmax) -> Tensor:
    acc = torch.promote_types(x.dtype, torch.float32)
    q, k, v = ((x @ params[n]).to(acc) for n in ("query", "key", "value"))
    logits = torch.matmul(q, k.mT) / q.shape[-1] ** 0.5
    return torch.matmul(softmax(logits), v).to(x.dtype)


class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim: int):
        super().__init__()
        std = hidden_dim ** -0.5
        self.params = nn.ParameterDict(
            {n: nn.Parameter(std * torch.randn(hidden_dim, hidden_dim))
             for n in ("query", "key", "value")}
        )
        self._softmax = partial(_stable_softmax, axis=-1)

    def forward(self, x: Tensor) -> Tensor:
        return attend(self.params, x, softmax=self._softmax)
