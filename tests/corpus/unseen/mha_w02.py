import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.num_heads = num_heads
        self.in_proj = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim)
        self.attn_dropout = nn.Dropout(dropout)

    def _fold(self, t):
        B, L, C = t.shape
        return t.reshape(B, L, self.num_heads, -1).transpose(1, 2).flatten(0, 1)

    def forward(self, x, attention_mask=None):
        B, L, C = x.shape
        H = self.num_heads
        q, k, v = map(self._fold, self.in_proj(x).chunk(3, dim=-1))     # (B*H, L, C/H)
        scores = torch.bmm(q, k.transpose(1, 2)) * q.size(-1) ** -0.5

        if attention_mask is not None:
            if attention_mask.size(1) == 1:
                mask = attention_mask[:, 0].expand(B, L, L)
                mask = mask.repeat(H, 1, 1)
            else:
                mask = attention_mask.expand(B, H, L, L).flatten(0, 1)
            scores = scores.masked_fill(mask == 0, float("-inf"))

        out = torch.bmm(self.attn_dropout(scores.softmax(-1)), v)
        out = out.unflatten(0, (B, H)).transpose(1, 2).reshape(B, L, C)
        return self.out_proj(out)
