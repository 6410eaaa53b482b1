# wrong: block causal-missing line 21, activation-other line 24
# fair: causal-missing 20
import torch.nn as nn


class Block(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.ln1, self.ln2 = nn.LayerNorm(hidden_dim), nn.LayerNorm(hidden_dim)
        self.qkv, self.proj = nn.Linear(hidden_dim, 3 * hidden_dim), nn.Linear(hidden_dim, hidden_dim)
        self.fc1 = nn.Linear(hidden_dim, 4 * hidden_dim)
        self.fc2 = nn.Linear(4 * hidden_dim, hidden_dim)
        self.relu = nn.ReLU()

    def forward(self, x):
        B, T, C = x.shape
        qkv = self.qkv(self.ln1(x)).reshape(B, T, 3, self.num_heads, C // self.num_heads)
        q, k, v = qkv.permute(2, 0, 3, 1, 4)
        attn = (q @ k.transpose(-2, -1)) * (C // self.num_heads) ** -0.5
        attn = attn.softmax(dim=-1)
        x = x + self.proj((attn @ v).transpose(1, 2).reshape(B, T, C))
        h = self.fc1(self.ln2(x))
        h = self.relu(h)
        return x + self.fc2(h)
