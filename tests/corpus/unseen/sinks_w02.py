import torch
import torch.nn as nn


class SinkAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.nh = num_heads
        self.wq = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.wk = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.wv = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.wo = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.attn_sink = nn.Parameter(torch.zeros(num_heads))

    def _heads(self, t):
        b, n, _ = t.shape
        return t.view(b, n, self.nh, -1).transpose(1, 2)

    def forward(self, x):
        q, k, v = map(self._heads, (self.wq(x), self.wk(x), self.wv(x)))
        b, h, n, d = q.shape
        att = (q @ k.transpose(-1, -2)) / d ** 0.5
        att = att.masked_fill(torch.ones(n, n, device=x.device).triu(1) == 1, float("-inf"))
        sink = self.attn_sink.view(1, h, 1, 1).expand(b, h, n, 1)
        att = torch.cat((sink, att), dim=-1)
        att = torch.softmax(att, dim=-1)[..., :-1]
        return self.wo((att @ v).transpose(1, 2).reshape(b, n, h * d))
