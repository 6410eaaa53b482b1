import torch
import torch.nn as nn
import torch.nn.functional as F


class TransformerBlock(nn.Module):
    def __init__(self, hidden_dim, num_heads, ffn_dim, dropout):
        super().__init__()
        self.hidden_dim = hidden_dim
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.attn_norm_scale = nn.Parameter(torch.ones(1, 1, hidden_dim))
        self.attn_norm_shift = nn.Parameter(torch.zeros(1, 1, hidden_dim))
        self.ffn_norm_scale = nn.Parameter(torch.ones(1, 1, hidden_dim))
        self.ffn_norm_shift = nn.Parameter(torch.zeros(1, 1, hidden_dim))
        self.query = nn.Linear(hidden_dim, hidden_dim)
        self.key = nn.Linear(hidden_dim, hidden_dim)
        self.value = nn.Linear(hidden_dim, hidden_dim)
        self.output = nn.Linear(hidden_dim, hidden_dim)
        self.expand = nn.Linear(hidden_dim, ffn_dim)
        self.shrink = nn.Linear(ffn_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)

    def normalize(self, x, scale, shift):
        mean = x.mean(dim=2, keepdim=True)
        centered = x - mean
        variance = (centered * centered).mean(dim=2, keepdim=True)
        return centered / (variance + 1e-5).sqrt() * scale + shift

    def attention(self, x):
        batch, length, _ = x.shape
        query, key, value = self.query(x), self.key(x), self.value(x)
        outputs = []
        for head in range(self.num_heads):
            start, stop = head * self.head_dim, (head + 1) * self.head_dim
            q = query[:, :, start:stop]
            k = key[:, :, start:stop]
            v = value[:, :, start:stop]
            scores = torch.bmm(q, k.transpose(1, 2)) / self.head_dim**0.5
            rows = []
            for t in range(length):
                # position t sees 0..t
                weight = F.softmax(scores[:, t, : t + 1], dim=-1)
                rows.append(torch.bmm(weight.unsqueeze(1), v[:, : t + 1]))
            outputs.append(torch.cat(rows, dim=1))
        return self.output(torch.cat(outputs, dim=2))

    def forward(self, x):
        skip = x
        x = self.normalize(x, self.attn_norm_scale, self.attn_norm_shift)
        x = self.attention(x)
        x = self.dropout(x)
        x = x + skip

        skip = x
        x = self.normalize(x, self.ffn_norm_scale, self.ffn_norm_shift)
        x = self.expand(x)
        x = F.gelu(x)
        x = self.shrink(x)
        x = self.dropout(x)
        x = x + skip
        return x
