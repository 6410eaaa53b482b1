# wrong: causal mask-after-softmax line 19
# fair: mask-after-softmax 18 19
import torch
import torch.nn as nn


class CausalSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, block_size):
        super().__init__()
        self.num_heads = num_heads
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.register_buffer("tri", torch.tril(torch.ones(block_size, block_size, dtype=torch.bool)))

    def forward(self, x):
        b, t, d = x.shape
        q, k, v = (z.view(b, t, self.num_heads, -1).transpose(1, 2) for z in self.qkv(x).chunk(3, dim=-1))
        s = q @ k.mT / q.shape[-1] ** 0.5
        p = torch.softmax(s, dim=-1)
        p = p * self.tri[:t, :t]
        return (p @ v).transpose(1, 2).reshape(b, t, d)
