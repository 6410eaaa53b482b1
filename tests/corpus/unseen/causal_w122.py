import torch
from torch import nn


class CausalSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, block_size):
        super().__init__()
        self.heads = num_heads
        self.block_size = block_size
        self.to_q = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.to_kv = nn.Linear(hidden_dim, 2 * hidden_dim, bias=False)
        self.to_out = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.scale = (hidden_dim // num_heads) ** -0.5
        self.future = None

    def get_future(self, n, device):
        # made the first time it is needed, on whatever device x lives
        if self.future is None or self.future.device != device:
            self.future = torch.ones((n, n), device=device, dtype=torch.bool).triu(1)
        return self.future

    def forward(self, x):
        b, n, _ = x.shape
        q, k, v = (self.to_q(x), *self.to_kv(x).chunk(2, dim=-1))
        q, k, v = map(lambda t: t.reshape(b, n, self.heads, -1).permute(0, 2, 1, 3), (q, k, v))

        sim = torch.einsum('b h i d, b h j d -> b h i j', q * self.scale, k)
        sim.masked_fill_(self.get_future(n, x.device), -torch.finfo(sim.dtype).max)
        attn = sim.softmax(dim=-1)

        out = torch.einsum('b h i j, b h j d -> b h i d', attn, v)
        out = out.permute(0, 2, 1, 3).reshape(b, n, -1)
        return self.to_out(out)
