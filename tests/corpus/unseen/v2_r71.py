import torch
from torch import nn
from einops import einsum, rearrange


class SelfAttentionV2(nn.Module):
    def __init__(self, hidden_dim: int):
        super().__init__()
        # one DenseGeneral-style kernel: d -> (three, d)
        self.w = nn.Parameter(torch.empty(hidden_dim, 3, hidden_dim))
        self.b = nn.Parameter(torch.zeros(3, hidden_dim))
        nn.init.normal_(self.w, std=hidden_dim**-0.5)

    def forward(self, x):
        packed = x @ rearrange(self.w, "d three e -> d (three e)") + rearrange(self.b, "three e -> (three e)")
        q, k, v = rearrange(packed, "b t (three e) -> three b t e", three=3)
        sim = einsum(q, k, "b i e, b j e -> b i j") * q.shape[-1] ** -0.5
        return einsum(sim.softmax(dim=-1), v, "b i j, b j e -> b i e")
