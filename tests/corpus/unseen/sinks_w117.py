import torch
from einops import rearrange
from torch import nn, einsum


def sink_softmax(sim, sink):
    '''softmax over the last axis, with one logit more that has no column of its own'''
    row_max = torch.maximum(sim.amax(dim = -1, keepdim = True), sink).detach()
    num = (sim - row_max).exp()
    den = num.sum(dim = -1, keepdim = True) + sink.exp()
    return num / den


class SinkAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.h = num_heads
        self.scale = (hidden_dim // num_heads) ** -0.5
        self.to_qkv = nn.Linear(hidden_dim, hidden_dim * 3, bias = False)
        self.sink = nn.Parameter(torch.randn(num_heads) * 0.02)
        self.to_out = nn.Linear(hidden_dim, hidden_dim, bias = False)

    def forward(self, x):
        n, device = x.shape[1], x.device

        q, k, v = rearrange(self.to_qkv(x), 'b n (qkv h d) -> qkv b h n d', qkv = 3, h = self.h)

        sim = einsum('b h i d, b h j d -> b h i j', q * self.scale, k)

        causal_mask = torch.ones((n, n), device = device, dtype = torch.bool).triu(1)
        sim = sim.masked_fill(causal_mask, float('-inf'))

        attn = sink_softmax(sim, rearrange(self.sink, 'h -> h 1 1'))

        out = einsum('b h i j, b h j d -> b h i d', attn, v)
        return self.to_out(rearrange(out, 'b h n d -> b n (h d)'))
