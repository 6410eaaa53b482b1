import torch
from einops import rearrange, repeat
from torch import Tensor, einsum, nn


class SinkAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.scale = (hidden_dim // num_heads) ** -0.5
        self.to_qkv = nn.Linear(hidden_dim, hidden_dim * 3, bias=False)
        self.to_out = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.sinks = nn.Parameter(torch.zeros(num_heads))

    def forward(self, x: Tensor) -> Tensor:
        b, n, _ = x.shape
        q, k, v = rearrange(self.to_qkv(x), "b n (three h d) -> three b h n d", three=3, h=self.num_heads)
        sim = einsum("b h i d, b h j d -> b h i j", q, k)
        later = torch.ones(n, n, dtype=torch.bool, device=x.device).triu(1)
        sim = sim.masked_fill(later, -torch.inf)
        sink = repeat(self.sinks, "h -> b h n 1", b=b, n=n)
        logits = torch.cat((sim, sink), dim=-1)
        attn = (logits * self.scale).softmax(dim=-1)[..., :n]
        out = einsum("b h i j, b h j d -> b h i d", attn, v)
        return self.to_out(rearrange(out, "b h n d -> b n (h d)"))
