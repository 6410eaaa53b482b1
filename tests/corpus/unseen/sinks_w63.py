import torch
from einops import rearrange, repeat
from torch import einsum, nn


class SinkAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.heads, self.scale = num_heads, (hidden_dim // num_heads) ** -0.5
        self.to_qkv = nn.Linear(hidden_dim, hidden_dim * 3, bias=False)
        self.to_out = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.sink = nn.Parameter(torch.zeros(num_heads))

    def forward(self, x):
        b, n, _ = x.shape
        q, k, v = rearrange(self.to_qkv(x), "b n (three h d) -> three b h n d", three=3, h=self.heads)
        sim = einsum("b h i d, b h j d -> b h i j", q * self.scale, k)

        # the null logit goes in front
        null = repeat(self.sink, "h -> b h n 1", b=b, n=n)
        sim = torch.cat((null, sim), dim=-1)

        i, j = sim.shape[-2:]
        causal = torch.ones((i, j), dtype=torch.bool, device=x.device).triu(1)
        attn = sim.masked_fill(causal, float("-inf")).softmax(dim=-1)

        out = einsum("b h i j, b h j d -> b h i d", attn[..., 1:], v)
        return self.to_out(rearrange(out, "b h n d -> b n (h d)"))
