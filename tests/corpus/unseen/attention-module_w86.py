import torch
import torch.nn.functional as F
from torch import nn


class MultiheadAttention(nn.Module):
    def __init__(self, embed_dim, num_heads, dropout=0.0, bias=True):
        super().__init__()
        self.h = num_heads
        self.dh = embed_dim // num_heads
        self.wq = nn.Linear(embed_dim, embed_dim, bias)
        self.wk = nn.Linear(embed_dim, embed_dim, bias)
        self.wv = nn.Linear(embed_dim, embed_dim, bias)
        self.wo = nn.Linear(embed_dim, embed_dim, bias)
        self.p = dropout

    def heads(self, t):
        # (b, n, e) -> (b * h, n, dh)
        b, n, _ = t.shape
        return t.view(b, n, self.h, self.dh).transpose(1, 2).reshape(b * self.h, n, self.dh)

    def forward(self, query, key, value, key_padding_mask=None, need_weights=True, attn_mask=None,
                average_attn_weights=True):
        b, t, e = query.shape
        s = key.shape[1]
        q, k, v = self.heads(self.wq(query)), self.heads(self.wk(key)), self.heads(self.wv(value))
        score = torch.bmm(q, k.transpose(1, 2)) / self.dh ** 0.5
        if attn_mask is not None:
            score = score.masked_fill(attn_mask, float("-inf"))
        if key_padding_mask is not None:
            pad = key_padding_mask.repeat_interleave(self.h, dim=0)
            score = score.masked_fill(pad[:, None, :], float("-inf"))
        w = F.softmax(score, dim=-1)
        ctx = torch.bmm(F.dropout(w, self.p, self.training), v)
        out = self.wo(ctx.view(b, self.h, t, self.dh).transpose(1, 2).reshape(b, t, e))
        w = w.view(b, self.h, t, s)
        if need_weights:
            return out, (w.mean(1) if average_attn_weights else w)
        return out, None
