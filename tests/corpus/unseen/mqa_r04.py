import torch
import torch.nn as nn


class MultiQueryAttention(nn.Module):
    # heads are stacked under one another as extra query rows: a single bmm against one K

    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.nh, self.hd = num_heads, hidden_dim // num_heads
        self.fused = nn.Linear(hidden_dim, hidden_dim + 2 * self.hd, bias=False)
        self.out = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, x, attention_mask=None):
        bs, n, dim = x.shape
        q, k, v = self.fused(x).split((dim, self.hd, self.hd), -1)
        rows = q.view(bs, n, self.nh, self.hd).transpose(1, 2).reshape(bs, self.nh * n, self.hd)
        logits = torch.bmm(rows, k.transpose(1, 2)) / self.hd ** 0.5
        if attention_mask is not None:
            m = attention_mask.expand(bs, self.nh, n, n).reshape(bs, self.nh * n, n)
            logits = logits.masked_fill(m == 0, float("-inf"))
        ctx = torch.bmm(logits.softmax(2), v)
        ctx = ctx.view(bs, self.nh, n, self.hd).permute(0, 2, 1, 3).reshape(bs, n, dim)
        return self.out(ctx)
