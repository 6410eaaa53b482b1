# shapes: n batch, s/t positions, g heads, c channels of a head, m model
import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        c = hidden_dim // num_heads
        self.w_in = nn.Parameter(torch.randn(3, num_heads, hidden_dim, c) * hidden_dim ** -0.5)
        self.w_out = nn.Parameter(torch.randn(num_heads, c, hidden_dim) * hidden_dim ** -0.5)
        self.drop = nn.Dropout(dropout)
        self.c = c

    def forward(self, x, attention_mask=None):
        q, k, v = torch.einsum("nsm,rgmc->rngsc", x, self.w_in)
        a = torch.einsum("ngsc,ngtc->ngst", q, k) / self.c ** 0.5
        if attention_mask is not None:
            a = torch.where(attention_mask.bool(), a, -torch.inf)
        a = self.drop(torch.softmax(a, -1))
        return torch.einsum("ngst,ngtc,gcm->nsm", a, v, self.w_out)
