from torch import nn, ones, tril, softmax


class CausalSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, block_size):
        super().__init__()
        self.h, self.d = num_heads, hidden_dim // num_heads
        self.q = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.k = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.v = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.o = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.register_buffer("see", tril(ones(block_size, block_size)), persistent=False)

    def forward(self, x):
        n = x.shape[1]
        q, k, v = (f(x).unflatten(-1, (self.h, self.d)).transpose(1, 2) for f in (self.q, self.k, self.v))
        s = q @ k.mT / self.d**0.5
        s = s.masked_fill(~self.see[:n, :n], float("-inf"))
        a = softmax(s, -1)
        return self.o((a @ v).transpose(1, 2).flatten(2))
