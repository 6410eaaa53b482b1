# wrong: v4 dtype-hardcoded line 17
import torch
from torch import nn


class SelfAttentionV4(nn.Module):
    def __init__(self, d_model, dropout=0.1):
        super().__init__()
        self.qkv = nn.Linear(d_model, 3 * d_model, bias=False)
        self.o_proj = nn.Linear(d_model, d_model, bias=False)
        self.attn_dropout = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        q, k, v = self.qkv(x).chunk(3, -1)
        w = torch.matmul(q, k.transpose(-1, -2)) * q.shape[-1] ** -0.5
        if attention_mask is not None:
            w = w + (1 - attention_mask.to(torch.float32)) * -10000
        w = self.attn_dropout(torch.softmax(w, dim=-1))
        return self.o_proj(torch.matmul(w, v))
