import torch
from torch import nn
from torch.func import vmap


def one_head(q, k, v, ahead):
    """q, k, v: [T, d]; no batch, no heads here."""
    s = (q @ k.t()) / q.shape[-1] ** 0.5
    s = s.masked_fill(ahead, float("-inf"))
    return torch.softmax(s, dim=-1) @ v


over_heads = vmap(one_head, in_dims=(1, 1, 1, None), out_dims=1)
over_batch = vmap(over_heads, in_dims=(0, 0, 0, None))


class CausalSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, block_size):
        super().__init__()
        d = hidden_dim // num_heads
        assert d * num_heads == hidden_dim
        self.w = nn.ParameterDict({
            letter: nn.Parameter(torch.randn(hidden_dim, num_heads, d) * hidden_dim ** -0.5)
            for letter in "abc"
        })
        self.w["z"] = nn.Parameter(torch.randn(num_heads, d, hidden_dim) * hidden_dim ** -0.5)
        place = torch.arange(block_size)
        self.register_buffer("place", place, persistent=False)

    def forward(self, x):
        T = x.size(1)
        now = self.place[:T]
        ahead = now.unsqueeze(0) > now.unsqueeze(1)      # key behind the query's right
        q, k, v = (torch.einsum("btc,chd->bthd", x, self.w[l]) for l in "abc")
        y = over_batch(q, k, v, ahead)
        return torch.einsum("bthd,hdc->btc", y, self.w["z"])
