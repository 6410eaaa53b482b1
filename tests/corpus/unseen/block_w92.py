import torch
from torch import nn


class LayerNormalization(nn.Module):
    def __init__(self, dim, epsilon=1e-5):
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(dim))
        self.beta = nn.Parameter(torch.zeros(dim))
        self.epsilon = epsilon

    def forward(self, inputs):
        mean = inputs.mean(-1, keepdim=True)
        variance = inputs.var(-1, keepdim=True)
        normed = (inputs - mean) / torch.sqrt(variance + self.epsilon)
        return self.gamma * normed + self.beta


class TransformerBlock(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.n = num_heads
        self.ln_1 = LayerNormalization(hidden_dim)
        self.ln_2 = LayerNormalization(hidden_dim)
        self.attn = nn.ModuleDict(dict(
            qkv=nn.Linear(hidden_dim, 3 * hidden_dim),
            out=nn.Linear(hidden_dim, hidden_dim),
        ))
        self.mlp = nn.Sequential(
            nn.Linear(hidden_dim, 4 * hidden_dim),
            nn.GELU(),
            nn.Linear(4 * hidden_dim, hidden_dim),
        )

    def attend(self, u):
        B, T, D = u.shape
        # megatron layout: per head q, k, v side by side
        q, k, v = self.attn["qkv"](u).view(B, T, self.n, 3 * (D // self.n)).transpose(1, 2).chunk(3, -1)
        s = q @ k.mT / (D // self.n) ** 0.5
        later = torch.triu(torch.ones(T, T, dtype=torch.bool, device=u.device), 1)
        p = s.masked_fill(later, -torch.inf).softmax(-1)
        return self.attn["out"]((p @ v).transpose(1, 2).reshape(B, T, D))

    def forward(self, x):
        attended = x + self.attend(self.ln_1(x))
        return attended + self.mlp(self.ln_2(attended))
