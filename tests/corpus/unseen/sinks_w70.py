import torch
from torch import nn


class SinkAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.to_qkv = nn.Linear(hidden_dim, hidden_dim * 3)
        self.to_out = nn.Linear(hidden_dim, hidden_dim)
        self.sink = nn.Parameter(torch.empty(num_heads).normal_(std=0.5))

    def forward(self, x):
        n, h = x.size(1), self.num_heads
        q, k, v = self.to_qkv(x).unflatten(-1, (3, h, -1)).permute(2, 0, 3, 1, 4)

        s = torch.matmul(q.mul(q.size(-1) ** -0.5), k.transpose(-1, -2))
        lse = torch.logsumexp(s, dim=-1, keepdim=True)
        gate = torch.sigmoid(lse - self.sink.view(h, 1, 1))

        keep = torch.ones(n, n, dtype=torch.bool, device=x.device).tril_()
        s = s.masked_fill(keep.logical_not_(), float("-inf"))
        o = torch.softmax(s, dim=-1).matmul(v).mul_(gate)
        return self.to_out(o.transpose(1, 2).flatten(2))
