import torch
import torch.nn as nn


class Attention(nn.Module):
    def __init__(self, embed_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.qkv = nn.Linear(embed_dim, embed_dim * 3)
        self.proj = nn.Linear(embed_dim, embed_dim)

    def forward(self, x):
        B, N, C = x.shape
        # heads outside, q k v inside: (head, 3, head_dim)
        qkv = (
            self.qkv(x).reshape(B, N, self.num_heads, 3 * (C // self.num_heads)).permute(0, 2, 1, 3)
        )
        q, k, v = qkv.chunk(3, dim=-1)
        attn = q @ k.transpose(-2, -1) / (C // self.num_heads) ** 0.5
        attn = attn.masked_fill(torch.tril(torch.ones(N, N, device=x.device)) == 0, float("-inf"))
        x = (attn.softmax(dim=-1) @ v).permute(0, 2, 1, 3).reshape(B, N, C)
        return self.proj(x)


class AttentionBlock(nn.Module):
    def __init__(self, embed_dim, hidden_dim, num_heads, dropout=0.0):
        """
        Inputs:
            embed_dim - Dimensionality of input and attention feature vectors
            hidden_dim - Dimensionality of hidden layer in feed-forward network
                         (usually 2-4x larger than embed_dim)
            num_heads - Number of heads to use in the attention block
            dropout - Amount of dropout to apply in the feed-forward network
        """
        super().__init__()
        self.layer_norm_1 = nn.LayerNorm(embed_dim)
        self.attn = Attention(embed_dim, num_heads)
        self.layer_norm_2 = nn.LayerNorm(embed_dim)
        self.linear = nn.Sequential(
            nn.Linear(embed_dim, hidden_dim),
            nn.GELU(),
            nn.Dropout(dropout),
            nn.Linear(hidden_dim, embed_dim),
            nn.Dropout(dropout),
        )

    def forward(self, x):
        inp_x = self.layer_norm_1(x)
        x = x + self.attn(inp_x)
        x = x + self.linear(self.layer_norm_2(x))
        return x
