# right: mha
# the tensor2tensor picture taken at its word: one (d_model, d_k) matrix a head
import torch
import torch.nn as nn
import torch.nn.init as init


class MultiHeadAttention(nn.Module):
    def __init__(self, num_heads: int, d_model: int, d_k: int = None, d_v: int = None, dropout: float = 0.1):
        super().__init__()
        d_k = d_model // num_heads if d_k is None else d_k
        d_v = d_model // num_heads if d_v is None else d_v
        self.h, self.d_k, self.d_v = num_heads, d_k, d_v

        self.w_qs = nn.Parameter(torch.empty(num_heads, d_model, d_k))   # [h, d_model, d_k]
        self.w_ks = nn.Parameter(torch.empty(num_heads, d_model, d_k))
        self.w_vs = nn.Parameter(torch.empty(num_heads, d_model, d_v))
        self.w_o = nn.Parameter(torch.empty(num_heads, d_v, d_model))    # [h, d_v, d_model]
        for w in self.parameters():
            init.xavier_normal_(w)
        self.dropout = nn.Dropout(dropout)

    def forward(self, q, k=None, v=None, mask=None):
        k = q if k is None else k
        v = k if v is None else v
        q_s = torch.einsum("bqm,hmd->hbqd", q, self.w_qs)
        k_s = torch.einsum("bkm,hmd->hbkd", k, self.w_ks)
        v_s = torch.einsum("bkm,hmd->hbkd", v, self.w_vs)
        logits = torch.einsum("hbqd,hbkd->hbqk", q_s, k_s) / self.d_k ** 0.5
        if mask is not None:
            keep = mask.expand(logits.size(1), self.h, logits.size(2), logits.size(3)).transpose(0, 1)
            logits = logits.masked_fill(keep == 0, -1e18)
        attn = self.dropout(torch.softmax(logits, dim=-1))
        return torch.einsum("hbqk,hbkd,hdm->bqm", attn, v_s, self.w_o)
