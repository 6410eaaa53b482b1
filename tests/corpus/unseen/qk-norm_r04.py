# attn-kata: qk-norm
import torch
from torch import nn, einsum
from einops import rearrange


class QKNormAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.h = num_heads
        dh = hidden_dim // num_heads
        self.to_qkv = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)
        self.to_out = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.gain_less_one = nn.ParameterDict({"q": nn.Parameter(torch.zeros(dh)), "k": nn.Parameter(torch.zeros(dh))})

    def norm(self, t, which):
        ms = reduce_mean_square(t)
        return t / torch.sqrt(ms + 1e-6) * (1 + self.gain_less_one[which])

    def forward(self, x):
        q, k, v = rearrange(self.to_qkv(x), "b n (c h d) -> c b h n d", c=3, h=self.h)
        q, k = self.norm(q, "q"), self.norm(k, "k")
        sim = einsum("b h i d, b h j d -> b h i j", q, k) / q.shape[-1] ** 0.5
        n = x.shape[1]
        causal = torch.ones((n, n), dtype=torch.bool, device=x.device).triu(1)
        attn = sim.masked_fill(causal, -torch.inf).softmax(dim=-1)
        return self.to_out(rearrange(einsum("b h i j, b h j d -> b h i d", attn, v), "b h n d -> b n (h d)"))


def reduce_mean_square(t):
    return einsum("... d, ... d -> ...", t, t).unsqueeze(-1) / t.shape[-1]
