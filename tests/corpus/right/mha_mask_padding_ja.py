# right: mha remarks: mask-form, nan-on-empty-row
# マルチヘッド注意。mask は (バッチ, 系列長)、1 が有効、0 がパディング。
import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.query_layer = nn.Linear(hidden_dim, hidden_dim)
        self.key_layer = nn.Linear(hidden_dim, hidden_dim)
        self.value_layer = nn.Linear(hidden_dim, hidden_dim)
        self.output_layer = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        b, t, c = x.shape

        # ヘッドに分割する
        def split(y):
            return y.view(b, t, self.num_heads, self.head_dim).transpose(1, 2)

        q = split(self.query_layer(x))
        k = split(self.key_layer(x))
        v = split(self.value_layer(x))
        scores = q @ k.transpose(-1, -2) / self.head_dim**0.5
        if mask is not None:
            scores = scores.masked_fill(mask[:, None, None, :] == 0, float("-inf"))
        attn = self.dropout(scores.softmax(dim=-1))
        # ヘッドを結合する
        out = (attn @ v).transpose(1, 2).reshape(b, t, c)
        return self.output_layer(out)
