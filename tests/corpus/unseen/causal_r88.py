import torch
from torch import nn


class CausalSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, block_size):
        super().__init__()
        self.shape = (num_heads, hidden_dim // num_heads)
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.k = nn.Linear(hidden_dim, hidden_dim)
        self.v = nn.Linear(hidden_dim, hidden_dim)
        self.o = nn.Linear(hidden_dim, hidden_dim)
        self.register_buffer("bias", torch.tril(torch.ones(1, 1, block_size, block_size)), persistent=False)

    def forward(self, x):
        length = x.shape[1]

        def one_sample(q, k, v):
            q, k, v = (z.unflatten(-1, self.shape).transpose(0, 1) for z in (q, k, v))
            s = q @ k.mT / self.shape[1] ** 0.5
            s = s.masked_fill(self.bias[0, :, :length, :length] == 0, torch.finfo(s.dtype).min)
            return (s.softmax(-1) @ v).transpose(0, 1).flatten(1)

        return self.o(torch.func.vmap(one_sample)(self.q(x), self.k(x), self.v(x)))


if __name__ == "__main__":
    model = CausalSelfAttention(16, 4, 8)
    print(model(torch.randn(2, 5, 16)).shape)
