import torch
from torch import nn


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.to_qkv = nn.Linear(hidden_dim, hidden_dim * 3, bias=False)
        self.to_out = nn.Linear(hidden_dim, hidden_dim)
        self.p = dropout
        self.scale = hidden_dim ** -0.5

    def _drop(self, w):
        if not self.training or self.p == 0:
            return w
        keep = torch.rand(w.shape, device=w.device) >= self.p
        return torch.where(keep, w / self.p, torch.zeros_like(w))

    def forward(self, x, attention_mask=None):
        q, k, v = self.to_qkv(x).chunk(3, dim=-1)
        sim = torch.einsum("b i d, b j d -> b i j", q, k) * self.scale
        if attention_mask is not None:
            sim = sim.masked_fill(attention_mask == 0, torch.finfo(sim.dtype).min)
        attn = self._drop(sim.softmax(dim=-1))
        return self.to_out(torch.einsum("b i j, b j d -> b i d", attn, v))
