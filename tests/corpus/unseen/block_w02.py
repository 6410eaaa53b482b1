# attn-kata: block
import torch
import torch.nn as nn


class TransformerBlock(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super(TransformerBlock, self).__init__()
        self.hidden_dim = hidden_dim
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.norm_1 = nn.LayerNorm(hidden_dim)
        self.norm_2 = nn.LayerNorm(hidden_dim)
        self.query = nn.Linear(hidden_dim, hidden_dim)
        self.key = nn.Linear(hidden_dim, hidden_dim)
        self.value = nn.Linear(hidden_dim, hidden_dim)
        self.out = nn.Linear(hidden_dim, hidden_dim)
        self.fc1 = nn.Linear(hidden_dim, 4 * hidden_dim)
        self.gelu = nn.GELU()
        self.fc2 = nn.Linear(4 * hidden_dim, hidden_dim)

    def attention(self, h):
        length = h.shape[1]
        triangle = torch.tril(torch.ones(length, length, device=h.device))
        qs = self.query(h).chunk(self.num_heads, dim=2)
        ks = self.key(h).chunk(self.num_heads, dim=2)
        vs = self.value(h).chunk(self.num_heads, dim=2)
        heads = []
        for q, k, v in zip(qs, ks, vs):
            s = torch.bmm(q, k.transpose(1, 2)) / (self.head_dim ** 0.5)
            s = s.masked_fill(triangle == 0, float("-inf"))
            heads.append(torch.bmm(torch.softmax(s, dim=2), v))
        return self.out(torch.cat(heads, dim=2))

    def mlp(self, h):
        h = self.fc1(h)
        h = self.gelu(h)
        h = self.fc2(h)
        return h

    def forward(self, x):
        normed = self.norm_1(x)
        attended = x + self.attention(normed)
        normed = self.norm_1(attended)
        output = attended + self.mlp(normed)
        return output
