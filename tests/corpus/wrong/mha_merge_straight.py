# wrong: mha heads-merge-without-transpose line 29
# склейка голов
import torch
import torch.nn as nn
import torch.nn.functional as F


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.1):
        super().__init__()
        self.d_model, self.num_heads = d_model, num_heads
        self.query = nn.Linear(d_model, d_model)
        self.key = nn.Linear(d_model, d_model)
        self.value = nn.Linear(d_model, d_model)
        self.out = nn.Linear(d_model, d_model)
        self.p = dropout

    def heads(self, t):
        return t.unflatten(-1, (self.num_heads, -1)).permute(0, 2, 1, 3)

    def forward(self, x, mask=None):
        bsz, seq_len, _ = x.shape
        q, k, v = self.heads(self.query(x)), self.heads(self.key(x)), self.heads(self.value(x))
        scores = torch.matmul(q, k.transpose(-2, -1)) / q.shape[-1] ** 0.5
        if mask is not None:
            scores = scores.masked_fill(mask == 0, -1e9)
        attn = F.dropout(F.softmax(scores, dim=-1), p=self.p, training=self.training)
        ctx = torch.matmul(attn, v)
        ctx = ctx.contiguous().view(bsz, seq_len, self.d_model)
        return self.out(ctx)
