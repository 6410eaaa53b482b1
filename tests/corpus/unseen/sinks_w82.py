import torch
from torch import nn


class SinkAttention(nn.Module):
    """Running softmax over blocks of keys; the sink is counted in the denominator."""

    BLOCK = 64

    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.h, self.d = num_heads, hidden_dim // num_heads
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)
        self.out = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.sink = nn.Parameter(torch.zeros(num_heads))

    def forward(self, x):
        b, n, c = x.shape
        q, k, v = self.qkv(x).view(b, n, 3, self.h, self.d).permute(2, 0, 3, 1, 4)
        q = q * self.d ** -0.5
        sink = self.sink.view(1, -1, 1).expand(b, -1, n)
        place = torch.arange(n, device=x.device)

        top = sink.detach()
        total = torch.zeros_like(sink)
        context = torch.zeros_like(q)
        for lo in range(0, n, self.BLOCK):
            hi = min(lo + self.BLOCK, n)
            s = q @ k[:, :, lo:hi].transpose(-2, -1)
            s = s.masked_fill(place[lo:hi] > place[:, None], float("-inf"))
            new = torch.maximum(top, s.amax(dim=-1).detach())
            keep = torch.exp(top - new)
            p = torch.exp(s - new.unsqueeze(-1))
            total = total * keep + p.sum(dim=-1)
            total = total + torch.exp(sink - new)
            context = context * keep.unsqueeze(-1) + p @ v[:, :, lo:hi]
            top = new

        y = context / total.unsqueeze(-1)
        return self.out(y.transpose(1, 2).reshape(b, n, c))
