import math
import torch
import torch.nn as nn


class MultiheadAttention(nn.Module):
    def __init__(self, embed_dim, num_heads, dropout=0.0, bias=True):
        super().__init__()
        self.nhead = num_heads
        self.wq = nn.Linear(embed_dim, embed_dim, bias)
        self.wk = nn.Linear(embed_dim, embed_dim, bias)
        self.wv = nn.Linear(embed_dim, embed_dim, bias)
        self.wo = nn.Linear(embed_dim, embed_dim, bias)
        self.dropout = nn.Dropout(dropout)

    def forward(self, query, key, value, key_padding_mask=None, need_weights=True,
                attn_mask=None, average_attn_weights=True):
        bs, tgt, dim = query.shape
        src = key.shape[1]
        hd = dim // self.nhead

        q = self.wq(query).reshape(bs, tgt, self.nhead, hd).permute(0, 2, 1, 3)
        k = self.wk(key).reshape(bs, src, self.nhead, hd).permute(0, 2, 3, 1)
        v = self.wv(value).reshape(bs, src, self.nhead, hd).permute(0, 2, 1, 3)

        # joint mask, additive
        bias = torch.zeros(bs, self.nhead, tgt, src, dtype=query.dtype, device=query.device)
        if attn_mask is not None:
            am = attn_mask
            if am.dim() == 3:
                am = am.reshape(bs, self.nhead, tgt, src)
            if am.dtype == torch.bool:
                bias = bias.masked_fill(am, -math.inf)
            else:
                bias = bias + am
        if key_padding_mask is not None:
            bias = bias.masked_fill(key_padding_mask.reshape(bs, 1, 1, src), -math.inf)

        attn = torch.softmax(q @ k / math.sqrt(hd) + bias, dim=-1)
        if need_weights and average_attn_weights:
            attn = attn.mean(dim=1, keepdim=True)

        out = torch.matmul(self.dropout(attn), v)
        out = out.permute(0, 2, 1, 3).reshape(bs, tgt, dim)
        out = self.wo(out)
        if not need_weights:
            return out, None
        if average_attn_weights:
            return out, attn[:, 0]
        return out, attn
