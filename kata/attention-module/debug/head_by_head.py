import torch
import torch.nn as nn
import torch.nn.functional as F


class MultiHeadAttention(nn.Module):
    def __init__(self, embed_dim, num_heads, dropout=0.0, bias=True):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = embed_dim // num_heads
        self.drop = nn.Dropout(p=dropout)
        self.q_proj = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.kv_proj = nn.Linear(embed_dim, 2 * embed_dim, bias=bias)
        self.o_proj = nn.Linear(embed_dim, embed_dim, bias=bias)

    def one_head(self, q, k, v, added):
        s = q @ k.transpose(1, 2) * self.head_dim**-0.5
        p = F.softmax(s + added, dim=2)
        return self.drop(p) @ v, p

    def forward(self, query, key, value, key_padding_mask=None, need_weights=True, attn_mask=None, average_attn_weights=True):
        b, t, e = query.shape
        w_k, w_v = self.kv_proj.weight.split(e)
        b_k, b_v = self.kv_proj.bias.split(e)
        q = self.q_proj(query).split(self.head_dim, dim=-1)
        k = F.linear(key, w_k, b_k).split(self.head_dim, dim=-1)
        v = F.linear(value, w_v, b_v).split(self.head_dim, dim=-1)

        added = query.new_zeros(b, self.num_heads, t, key.shape[1])
        if attn_mask is not None:
            mask = attn_mask.expand(b * self.num_heads, -1, -1).view_as(added)
            if mask.dtype == torch.bool:
                mask = torch.zeros_like(added).masked_fill(mask, float("-inf"))
            added = added + mask
        if key_padding_mask is not None:
            added = added.masked_fill(key_padding_mask.view(b, 1, 1, -1), float("-inf"))

        outs, ps = [], []
        for h in range(self.num_heads):
            out, p = self.one_head(q[h], k[h], v[h], added[:, h])
            outs.append(out)
            ps.append(p)
        y = self.o_proj(torch.cat(outs, dim=-1))
        if not need_weights:
            return y, None
        weights = torch.stack(ps, dim=1)
        if average_attn_weights:
            weights = weights.mean(1)
        return y, weights
