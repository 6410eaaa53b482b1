# right: v4 remarks: fill-overflows-half
import torch
from torch import nn


class Attn(nn.Module):
    def __init__(self, dim, **kwargs):
        super().__init__()
        dropout = kwargs.pop("dropout", 0.1)
        bias = kwargs.pop("bias", True)
        if kwargs:
            raise TypeError(f"unexpected: {sorted(kwargs)}")
        self.a = nn.Linear(dim, dim, bias=bias)
        self.b = nn.Linear(dim, dim, bias=bias)
        self.c = nn.Linear(dim, dim, bias=bias)
        self.d = nn.Linear(dim, dim, bias=bias)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, **kwargs):
        mask = kwargs.get("mask", kwargs.get("attention_mask"))
        scores = self.a(x) @ self.b(x).transpose(1, 2) * x.shape[-1] ** -0.5
        if mask is not None:
            scores = scores.masked_fill(mask == 0, -1.0e9)
        return self.d(self.dropout(torch.softmax(scores, -1)) @ self.c(x))
