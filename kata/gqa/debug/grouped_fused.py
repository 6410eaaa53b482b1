from torch import nn


class GroupedQueryAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads):
        super().__init__()
        self.h, self.g, self.d = num_heads, num_kv_heads, hidden_dim // num_heads
        self.attn = nn.Linear(hidden_dim, (num_heads + 2 * num_kv_heads) * self.d, bias=False)
        self.proj = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, x, attention_mask=None):
        b, n, c = x.shape
        r = self.h // self.g
        qkv = self.attn(x).view(b, n, self.g, r + 2, self.d).permute(0, 2, 3, 1, 4)
        q, k, v = qkv.split((r, 1, 1), dim=2)
        k = k.expand(b, self.g, r, n, self.d)
        v = v.expand(b, self.g, r, n, self.d)
        q, k, v = (t.reshape(b, self.h, n, self.d) for t in (q, k, v))
        s = q @ k.mT * self.d**-0.5
        if attention_mask is not None:
            s = s.masked_fill(attention_mask == 0, float("-inf"))
        return self.proj((s.softmax(-1) @ v).transpose(1, 2).reshape(b, n, c))
