import torch
from torch import nn


class RMSNormZeroCentered(nn.Module):
    def __init__(self, dim, eps=1e-6):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(dim))

    def forward(self, x):
        y = x.float() if x.dtype in (torch.float16, torch.bfloat16) else x
        y = y * torch.rsqrt(y.pow(2).mean(-1, keepdim=True) + self.eps)
        # Gemma: (x * w).to(dtype), the weight is centred on zero
        return (y * (1.0 + self.weight.to(y.dtype))).to(x.dtype)


class QKNormAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.qkv_proj = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.q_norm = RMSNormZeroCentered(self.head_dim)
        self.k_norm = RMSNormZeroCentered(self.head_dim)
        self.scaling = self.head_dim**-0.5

    def forward(self, hidden_states):
        batch, seq, width = hidden_states.shape
        q, k, v = self.qkv_proj(hidden_states).chunk(3, dim=-1)
        heads = (batch, seq, self.num_heads, self.head_dim)
        q = self.q_norm(q.reshape(heads)).transpose(1, 2)
        k = self.k_norm(k.reshape(heads)).transpose(1, 2)
        v = v.reshape(heads).transpose(1, 2)

        weights = torch.matmul(q, k.transpose(-1, -2)) * self.scaling
        position = torch.arange(seq, device=weights.device)
        weights = weights.masked_fill(position > position.view(-1, 1), float("-inf"))
        weights = torch.softmax(weights, dim=-1, dtype=torch.promote_types(torch.float32, v.dtype)).to(v.dtype)
        out = torch.matmul(weights, v).transpose(1, 2).reshape(batch, seq, width)
        return self.o_proj(out)
