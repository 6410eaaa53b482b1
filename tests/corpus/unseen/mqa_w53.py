import torch
import torch.nn as nn
import torch.nn.functional as F


class MultiQueryAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.h = num_heads
        self.d = hidden_dim // num_heads
        self.wq = nn.Parameter(torch.randn(num_heads, hidden_dim, self.d) * hidden_dim ** -0.5)
        self.wk = nn.Parameter(torch.randn(hidden_dim, self.d) * hidden_dim ** -0.5)
        self.wv = nn.Parameter(torch.randn(hidden_dim, self.d) * hidden_dim ** -0.5)
        self.wo = nn.Parameter(torch.randn(num_heads, self.d, hidden_dim) * hidden_dim ** -0.5)

    def forward(self, x, attention_mask=None):
        q = torch.einsum('bnc,hcd->bnhd', x, self.wq)
        k = torch.einsum('bmc,cd->bmd', x, self.wk)
        v = torch.einsum('bmc,cd->bmd', x, self.wv)
        logits = torch.einsum('bnhd,bmd->bnhm', q, k) * self.d ** -0.5
        if attention_mask is not None:
            logits = logits.masked_fill(attention_mask == 0, torch.finfo(logits.dtype).min)
        w = F.softmax(logits, dim=1)
        y = torch.einsum('bnhm,bmd->bnhd', w, v)
        return torch.einsum('bnhd,hdc->bnc', y, self.wo)
