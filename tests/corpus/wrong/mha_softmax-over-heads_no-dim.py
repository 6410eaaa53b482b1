# wrong: mha softmax-over-heads line 16
import torch
import torch.nn as nn


def split(t, h):
    b, l, d = t.shape
    return t.reshape(b, l, h, d // h).permute(0, 2, 1, 3)


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.num_heads = num_heads
        self.query_proj, self.key_proj, self.value_proj, self.out_proj = (nn.Linear(hidden_dim, hidden_dim) for _ in range(4))
        self.act = nn.Softmax(dim=1)
        self.drop = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        q, k, v = (split(p(x), self.num_heads) for p in (self.query_proj, self.key_proj, self.value_proj))
        s = q @ k.mT / q.size(-1) ** 0.5
        if attention_mask is not None:
            s = s.masked_fill(attention_mask == 0, torch.finfo(s.dtype).min)
        a = self.drop(self.act(s))
        return self.out_proj((a @ v).permute(0, 2, 1, 3).flatten(2))
