# right: mha
import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    """return_attention=True gives the weights too; by default only the output."""

    def __init__(self, d_model, n_heads, dropout=0.1):
        super().__init__()
        self.n_heads, self.d_head = n_heads, d_model // n_heads
        self.wq, self.wk = nn.Linear(d_model, d_model), nn.Linear(d_model, d_model)
        self.wv, self.wo = nn.Linear(d_model, d_model), nn.Linear(d_model, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, key_value=None, attention_mask=None, return_attention=False):
        source = x if key_value is None else key_value
        q = self.wq(x).unflatten(2, (self.n_heads, self.d_head))
        k = self.wk(source).unflatten(2, (self.n_heads, self.d_head))
        v = self.wv(source).unflatten(2, (self.n_heads, self.d_head))
        log_p = torch.einsum("bqhd,bkhd->bhqk", q / self.d_head ** 0.5, k)
        if attention_mask is not None:
            hidden = attention_mask == 0
            log_p = log_p.masked_fill(hidden, torch.finfo(log_p.dtype).min)
        p = torch.exp(torch.log_softmax(log_p, dim=-1))
        y = self.wo(torch.einsum("bhqk,bkhd->bqhd", self.dropout(p), v).flatten(2))
        return (y, p) if return_attention else y
