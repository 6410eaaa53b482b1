# flax refugee: params in a dict, apply is a pure function vmapped over the batch
from functools import partial
import torch
from torch import nn
from torch.func import vmap


def dense(w, x):
    return torch.einsum("...i,io->...o", x, w)


def attend_one(params, x):
    # x: [T, D]
    q, k, v = (dense(params[n], x) for n in ("q", "k", "v"))
    logits = torch.einsum("td,sd->ts", q * params["temp"], k)
    logits = logits - logits.amax(dim=1, keepdim=True)
    e = torch.exp(logits)
    return (e / e.sum(dim=1, keepdim=True)) @ v


class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        init = partial(torch.nn.init.trunc_normal_, std=hidden_dim ** -0.5)
        self.kernels = nn.ParameterDict(
            {n: nn.Parameter(init(torch.empty(hidden_dim, hidden_dim))) for n in "qkv"}
        )
        self.temp = hidden_dim ** -0.5

    def forward(self, x):
        params = {n: self.kernels[n] for n in ("q", "k", "v")}
        params["temp"] = self.temp
        return vmap(lambda row: attend_one(params, row))(x)
