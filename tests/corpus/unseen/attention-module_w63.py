import torch
import torch.nn as nn
import torch.nn.functional as F


class MultiheadAttention(nn.Module):
    def __init__(self, embed_dim, num_heads, dropout=0.0, bias=True):
        super().__init__()
        self.embed_dim = embed_dim
        self.num_heads = num_heads
        self.head_dim = embed_dim // num_heads
        self.p = dropout
        self.in_proj = nn.Linear(embed_dim, 3 * embed_dim, bias=bias)
        self.out_proj = nn.Linear(embed_dim, embed_dim, bias=bias)

    def in_projection(self, query, key, value):
        if query is key:
            # self-attention: one matmul for all three
            return self.in_proj(query).chunk(3, dim=-1)
        weights = self.in_proj.weight.chunk(3, dim=0)
        biases = self.in_proj.bias.chunk(3, dim=0) if self.in_proj.bias is not None else [None] * 3
        return [F.linear(t, w, b) for t, w, b in zip([query, key, value], weights, biases)]

    def merge_masks(self, key_padding_mask, attn_mask, q):
        merged = torch.zeros(1, 1, 1, 1, dtype=q.dtype, device=q.device)
        if attn_mask is not None:
            if attn_mask.dtype == torch.bool:
                attn_mask = torch.zeros_like(attn_mask, dtype=q.dtype).masked_fill(attn_mask, float("-inf"))
            if attn_mask.dim() == 3:
                attn_mask = attn_mask.view(-1, self.num_heads, attn_mask.size(-2), attn_mask.size(-1))
            merged = merged + attn_mask
        if key_padding_mask is not None:
            merged = merged.masked_fill(key_padding_mask[:, None, None, :], float("-inf"))
        return merged

    def forward(self, query, key, value, key_padding_mask=None, need_weights=True,
                attn_mask=None, average_attn_weights=True):
        B, T, E = query.shape
        S = key.size(1)
        q, k, v = self.in_projection(query, key, value)
        q = q.reshape(B, T, self.num_heads, self.head_dim).transpose(1, 2)
        k = k.reshape(B, S, self.num_heads, self.head_dim).transpose(1, 2)
        v = v.reshape(B, S, self.num_heads, self.head_dim).transpose(1, 2)

        scores = torch.matmul(q, k.transpose(-2, -1)) / self.head_dim ** 0.5
        scores = scores + self.merge_masks(key_padding_mask, attn_mask, q)
        attn = F.softmax(scores, dim=-1)
        attn = F.dropout(attn, p=self.p, training=self.training)

        out = torch.matmul(attn, v).transpose(1, 2).contiguous().view(B, T, E)
        out = self.out_proj(out)
        if need_weights:
            return out, attn.mean(dim=1) if average_attn_weights else attn
        return out, None
