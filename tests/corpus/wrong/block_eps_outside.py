# wrong: block norm-eps line 10
import torch
import torch.nn as nn
import torch.nn.functional as F


def layer_norm(x, weight, bias, eps=1e-5):
    mean = x.mean(-1, keepdim=True)
    std = (x - mean).pow(2).mean(-1, keepdim=True).sqrt()
    return weight * (x - mean) / (std + eps) + bias


class TransformerBlock(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int):
        super().__init__()
        self.num_heads = num_heads
        self.norm1_weight = nn.Parameter(torch.ones(hidden_dim))
        self.norm1_bias = nn.Parameter(torch.zeros(hidden_dim))
        self.norm2_weight = nn.Parameter(torch.ones(hidden_dim))
        self.norm2_bias = nn.Parameter(torch.zeros(hidden_dim))
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.out = nn.Linear(hidden_dim, hidden_dim)
        self.fc1 = nn.Linear(hidden_dim, 4 * hidden_dim)
        self.fc2 = nn.Linear(4 * hidden_dim, hidden_dim)

    def attention(self, x: torch.Tensor) -> torch.Tensor:
        b, t, e = x.shape
        q, k, v = self.qkv(x).view(b, t, 3, self.num_heads, e // self.num_heads).permute(2, 0, 3, 1, 4)
        logits = q @ k.transpose(-2, -1) / (e // self.num_heads) ** 0.5
        logits = logits.masked_fill(torch.ones(t, t, device=x.device).tril() == 0, float("-inf"))
        return self.out((logits.softmax(-1) @ v).transpose(1, 2).reshape(b, t, e))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x + self.attention(layer_norm(x, self.norm1_weight, self.norm1_bias))
        return x + self.fc2(F.gelu(self.fc1(layer_norm(x, self.norm2_weight, self.norm2_bias))))
