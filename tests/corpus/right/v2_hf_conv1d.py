# right: v2
import torch
import torch.nn as nn


class Conv1D(nn.Module):
    """Linear layer with transposed weight, GPT-2 style."""

    def __init__(self, nf, nx):
        super().__init__()
        self.nf = nf
        self.weight = nn.Parameter(torch.empty(nx, nf))
        self.bias = nn.Parameter(torch.zeros(nf))
        nn.init.normal_(self.weight, std=0.02)

    def forward(self, x):
        size_out = x.size()[:-1] + (self.nf,)
        x = torch.addmm(self.bias, x.view(-1, x.size(-1)), self.weight)
        return x.view(size_out)


class SelfAttentionV2(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.split_size = hidden_dim
        self.c_attn = Conv1D(3 * hidden_dim, hidden_dim)
        self.c_proj = Conv1D(hidden_dim, hidden_dim)

    def forward(self, hidden_states):
        query, key, value = self.c_attn(hidden_states).split(self.split_size, dim=2)
        w = torch.matmul(query, key.transpose(-1, -2))
        w = w / torch.full([], value.size(-1) ** 0.5, dtype=w.dtype, device=w.device)
        w = nn.functional.softmax(w, dim=-1)
        w = w.type(value.dtype)
        return self.c_proj(torch.matmul(w, value))
