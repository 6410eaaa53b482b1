import torch
from torch import nn


class Conv1D(nn.Module):
    """The layer of the GPT-2 release: a linear layer whose weight is (in, out)."""

    def __init__(self, nf, nx):
        super().__init__()
        self.nf = nf
        self.weight = nn.Parameter(torch.empty(nx, nf).normal_(std=0.02))
        self.bias = nn.Parameter(torch.zeros(nf))

    def forward(self, x):
        size_out = x.size()[:-1] + (self.nf,)
        x = torch.addmm(self.bias, x.reshape(-1, x.size(-1)), self.weight)
        return x.reshape(size_out)


class CausalSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, block_size):
        super().__init__()
        assert hidden_dim % num_heads == 0
        self.n_head = num_heads
        self.split_size = hidden_dim
        future = torch.full((block_size, block_size), float("-inf")).triu(diagonal=1)
        self.register_buffer("future", future, persistent=False)  # 0 on and below the diagonal
        self.c_attn = Conv1D(hidden_dim * 3, hidden_dim)
        self.c_proj = Conv1D(hidden_dim, hidden_dim)

    def split_heads(self, x):
        x = x.reshape(x.size(0), x.size(1), self.n_head, x.size(-1) // self.n_head)
        return x.permute(0, 2, 1, 3)

    def merge_heads(self, x):
        x = x.permute(0, 2, 1, 3).contiguous()
        return x.view(x.size(0), x.size(1), -1)

    def _attn(self, q, k, v):
        w = torch.matmul(q, k.transpose(-1, -2)) / (v.size(-1) ** 0.5)
        t = w.size(-1)
        w = w + self.future[:t, :t].to(w.dtype)
        return torch.matmul(torch.softmax(w, dim=-1), v)

    def forward(self, x):
        query, key, value = self.c_attn(x).split(self.split_size, dim=2)
        a = self._attn(*(self.split_heads(t) for t in (query, key, value)))
        return self.c_proj(self.merge_heads(a))
