import torch
import torch.nn as nn
import torch.nn.functional as F


class MultiheadAttention(nn.Module):
    """多头注意力, 接口与 nn.MultiheadAttention 相同 (batch_first)"""

    def __init__(self, embed_dim, num_heads, dropout=0.0, bias=True):
        super().__init__()
        self.h = num_heads
        self.d = embed_dim // num_heads
        self.p = dropout
        self.wq = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.wk = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.wv = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.wo = nn.Linear(embed_dim, embed_dim, bias=bias)

    def forward(self, query, key, value, key_padding_mask=None, need_weights=True,
                attn_mask=None, average_attn_weights=True):
        b, t, e = query.shape
        s = key.size(1)
        q = self.wq(query).view(b, t, self.h, self.d)
        k = self.wk(key).view(b, s, self.h, self.d)
        v = self.wv(value).view(b, s, self.h, self.d)
        score = torch.einsum('bthd,bshd->bhts', q, k) / self.d ** 0.5

        if attn_mask is not None:
            if attn_mask.dim() == 3:
                # 还原出 batch 和 head 两个维度
                attn_mask = attn_mask.view(self.h, b, t, s).transpose(0, 1)
            if attn_mask.dtype == torch.bool:
                score = score.masked_fill(attn_mask, float('-inf'))
            else:
                score = score + attn_mask
        if key_padding_mask is not None:
            score = score.masked_fill(key_padding_mask.view(b, 1, 1, s), float('-inf'))

        weight = score.softmax(dim=-1)
        dropped = F.dropout(weight, p=self.p, training=self.training)
        out = self.wo(torch.einsum('bhts,bshd->bthd', dropped, v).reshape(b, t, e))
        if not need_weights:
            return out, None
        return (out, weight.mean(dim=1)) if average_attn_weights else (out, weight)
