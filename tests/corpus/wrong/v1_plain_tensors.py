# wrong: v1 parameters-not-registered line 11
import torch
import torch.nn as nn


class SelfAttentionV1(nn.Module):
    def __init__(self, embed_dim):
        super().__init__()
        std = embed_dim ** -0.5
        for name in ("Wq", "Wk", "Wv"):
            setattr(self, name, torch.randn(embed_dim, embed_dim).mul(std).requires_grad_())

    def forward(self, x):
        q = x @ self.Wq.to(x)
        k = x @ self.Wk.to(x)
        v = x @ self.Wv.to(x)
        a = torch.softmax(q @ k.transpose(1, 2) / x.shape[-1] ** 0.5, dim=-1)
        return a @ v
