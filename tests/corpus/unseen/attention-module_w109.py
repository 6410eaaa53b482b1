import torch
from torch import nn


class MultiheadAttention(nn.Module):
    def __init__(self, embed_dim, num_heads, dropout=0.0, bias=True):
        super().__init__()
        self.nhead = num_heads
        self.dk = embed_dim // num_heads
        self.wq = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.wk = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.wv = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.wo = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.drop = nn.Dropout(dropout)

    def _mask(self, scores, key_padding_mask, attn_mask):
        B, H, T, S = scores.shape
        hidden = None
        if attn_mask is not None:
            if attn_mask.dim() == 3:
                attn_mask = attn_mask.view(B, H, T, S)
            if attn_mask.dtype != torch.bool:
                scores = scores + attn_mask
            else:
                hidden = attn_mask
        if key_padding_mask is not None:
            pad = key_padding_mask.view(B, 1, 1, S)
            hidden = pad if hidden is None else hidden & pad
        if hidden is not None:
            scores = scores.masked_fill(hidden, torch.finfo(scores.dtype).min)
        return scores

    def forward(self, query, key, value, key_padding_mask=None, need_weights=True,
                attn_mask=None, average_attn_weights=True):
        B, T, E = query.shape
        S = key.size(1)
        q = self.wq(query).view(B, T, self.nhead, self.dk).permute(0, 2, 1, 3)
        k = self.wk(key).view(B, S, self.nhead, self.dk).permute(0, 2, 3, 1)
        v = self.wv(value).view(B, S, self.nhead, self.dk).permute(0, 2, 1, 3)
        scores = self._mask(q @ k / self.dk ** 0.5, key_padding_mask, attn_mask)
        w = scores.softmax(-1)
        y = self.drop(w) @ v
        y = self.wo(y.permute(0, 2, 1, 3).reshape(B, T, E))
        if need_weights:
            return y, (w.mean(1) if average_attn_weights else w)
        return y, None
