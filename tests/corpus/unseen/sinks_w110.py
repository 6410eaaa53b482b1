import torch
from torch import nn


def softmax_plus_sink(sim, sink):
    """softmax over the last axis with one more, invisible entry."""
    sim = sim - sim.amax(dim=-1, keepdim=True).detach()
    num = sim.exp()
    return num / (num.sum(dim=-1, keepdim=True) + sink.exp())


class SinkAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.heads = num_heads
        self.scale = (hidden_dim // num_heads) ** -0.5
        self.to_qkv = nn.Linear(hidden_dim, hidden_dim * 3, bias=False)
        self.to_out = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.sink = nn.Parameter(torch.zeros(num_heads, 1, 1))

    def forward(self, x):
        n = x.shape[-2]
        qkv = self.to_qkv(x).unflatten(-1, (3, self.heads, -1))
        q, k, v = qkv.permute(2, 0, 3, 1, 4)
        sim = torch.einsum('b h i d, b h j d -> b h i j', q * self.scale, k)
        sim = sim.masked_fill(torch.ones((n, n), device=x.device).triu(1).bool(), float('-inf'))
        attn = softmax_plus_sink(sim, self.sink)
        out = torch.einsum('b h i j, b h j d -> b i h d', attn, v)
        return self.to_out(out.flatten(-2))
