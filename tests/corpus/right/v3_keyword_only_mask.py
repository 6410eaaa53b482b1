# right: v3 remarks: nan-on-empty-row
import torch
import torch.nn.functional as F
from torch.nn import Module, Parameter


class SelfAttentionV3(Module):
    def __init__(self, hidden_dim, *, dropout=0.1):
        super().__init__()
        self.dropout = dropout
        self.qkv = Parameter(torch.randn(3 * hidden_dim, hidden_dim) * 0.02)
        self.proj = Parameter(torch.randn(hidden_dim, hidden_dim) * 0.02)
        self.proj_bias = Parameter(torch.zeros(hidden_dim))

    def forward(self, x, *, attention_mask=None):
        q, k, v = F.linear(x, self.qkv).tensor_split(3, dim=-1)
        bias = torch.zeros((), dtype=x.dtype, device=x.device)
        if attention_mask is not None:
            bias = torch.zeros(attention_mask.shape, dtype=x.dtype, device=x.device)
            bias = bias.masked_fill(attention_mask.logical_not(), -torch.inf)
        w = F.softmax(q @ k.mT / q.shape[-1] ** 0.5 + bias, dim=-1)
        return F.linear(F.dropout(w, self.dropout, self.training) @ v, self.proj, self.proj_bias)
