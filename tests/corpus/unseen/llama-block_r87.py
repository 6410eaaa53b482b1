import torch
from torch import nn


class LlamaBlock(nn.Module):
    """Megatron habits: time first, key/value/query fused by group, gate and up fused and chunked."""

    def __init__(self, hidden_dim, num_heads, num_kv_heads, mlp_dim):
        super().__init__()
        self.np, self.ng = num_heads, num_kv_heads
        self.hn = hidden_dim // num_heads
        self.input_layernorm = nn.RMSNorm(hidden_dim, eps=1e-5)
        self.linear_qkv = nn.Linear(hidden_dim, self.ng * (self.np // self.ng + 2) * self.hn, bias=False)
        self.linear_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.pre_mlp_layernorm = nn.RMSNorm(hidden_dim, eps=1e-5)
        self.linear_fc1 = nn.Linear(hidden_dim, 2 * mlp_dim, bias=False)
        self.linear_fc2 = nn.Linear(mlp_dim, hidden_dim, bias=False)

    @staticmethod
    def swiglu(y):
        y_1, y_2 = torch.chunk(y, 2, -1)
        return y_1 * torch.sigmoid(y_1) * y_2

    @staticmethod
    def rotary(t, cos, sin):
        # t: [sq, b, n, hn];  cos and sin: [sq, hn/2], doubled so that both halves find theirs
        cos = torch.cat((cos, cos), -1)[:, None, None, :]
        sin = torch.cat((-sin, sin), -1)[:, None, None, :]
        return t * cos + t.roll(t.size(-1) // 2, dims=-1) * sin

    def self_attention(self, hidden, cos, sin):
        sq, b, _ = hidden.shape
        mixed = self.linear_qkv(hidden).view(sq, b, self.ng, -1)
        query, key, value = mixed.split([self.np // self.ng * self.hn, self.hn, self.hn], dim=3)
        query = self.rotary(query.reshape(sq, b, self.np, self.hn), cos, sin)
        key = self.rotary(key, cos, sin)
        # query heads of one group become rows beside one another: [b*ng, rep*sq, hn]
        rep = self.np // self.ng
        query = query.view(sq, b, self.ng, rep, self.hn).permute(1, 2, 3, 0, 4).reshape(b * self.ng, rep * sq, self.hn)
        key = key.permute(1, 2, 3, 0).reshape(b * self.ng, self.hn, sq)
        value = value.permute(1, 2, 0, 3).reshape(b * self.ng, sq, self.hn)
        scores = torch.bmm(query, key).div(self.hn**0.5).view(-1, rep, sq, sq)
        hidden_pairs = torch.ones(sq, sq, dtype=torch.bool, device=scores.device).triu(1)
        probs = scores.masked_fill(hidden_pairs, torch.finfo(scores.dtype).min).softmax(-1)
        context = torch.bmm(probs.view(-1, rep * sq, sq), value)
        context = context.view(b, self.ng, rep, sq, self.hn).permute(3, 0, 1, 2, 4)
        return self.linear_proj(context.reshape(sq, b, -1))

    def forward(self, x, cos, sin):
        residual = x.transpose(0, 1)
        residual = residual + self.self_attention(self.input_layernorm(residual), cos, sin)
        residual = residual + self.linear_fc2(self.swiglu(self.linear_fc1(self.pre_mlp_layernorm(residual))))
        return residual.transpose(0, 1)
