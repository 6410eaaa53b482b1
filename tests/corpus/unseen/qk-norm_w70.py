import math
from torch import nn
import torch


class RMSNormalization(nn.Module):
    def __init__(self, axis_size, epsilon=1e-6):
        super().__init__()
        self.epsilon = epsilon
        self.gamma = nn.Parameter(torch.ones([axis_size]))

    def forward(self, inputs):
        wide = inputs.to(torch.promote_types(inputs.dtype, torch.float32))
        mean_square = torch.mean(torch.square(wide), dim=-1, keepdim=True)
        return (wide * torch.rsqrt(mean_square + self.epsilon)).to(inputs.dtype) * self.gamma


class QKNormAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.key_dim = hidden_dim // num_heads
        self.qkv_dense = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.output_dense = nn.Linear(hidden_dim, hidden_dim)
        self.qk_norm = RMSNormalization(self.key_dim)

    def split_heads(self, t):
        b, n, _ = t.shape
        return torch.permute(torch.reshape(t, [b, n, self.num_heads, self.key_dim]), [0, 2, 1, 3])

    def forward(self, x):
        b, n, c = x.shape
        q, k, v = [self.split_heads(t) for t in torch.split(self.qkv_dense(x), c, dim=-1)]
        q = self.qk_norm(q)
        k = self.qk_norm(k)
        logits = torch.matmul(q, torch.transpose(k, -1, -2)) / math.sqrt(self.key_dim)
        band = torch.tril(torch.ones([n, n], dtype=torch.bool, device=x.device))
        logits = torch.where(band, logits, torch.full_like(logits, -math.inf))
        ctx = torch.matmul(torch.softmax(logits, dim=-1), v)
        return self.output_dense(torch.reshape(torch.permute(ctx, [0, 2, 1, 3]), [b, n, c]))
