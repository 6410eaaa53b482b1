# wrong: v4 dropout-rate-wrong line 12, mask-added line 17
import torch
import torch.nn as nn


class MaskedSelfAttention(nn.Module):
    def __init__(self, dim: int, dropout: float = 0.1):
        super().__init__()
        self.dim = dim
        for name in ("proj_q", "proj_k", "proj_v", "proj_o"):
            self.add_module(name, nn.Linear(dim, dim))
        self.drop = nn.Dropout(p=0.3)

    def forward(self, x, attention_mask=None):
        sim = torch.einsum("bic,bjc->bij", self.proj_q(x), self.proj_k(x)) / self.dim ** 0.5
        if attention_mask is not None:
            sim += attention_mask
        attn = self.drop(sim.softmax(dim=-1))
        return self.proj_o(torch.einsum("bij,bjc->bic", attn, self.proj_v(x)))
