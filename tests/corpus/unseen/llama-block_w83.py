import torch
from torch import nn, Tensor
from torch.nn.functional import silu


class LlamaBlock(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, mlp_dim):
        super().__init__()
        self.n_heads, self.n_kv = num_heads, num_kv_heads
        self.head_dim = hidden_dim // num_heads
        kv = num_kv_heads * self.head_dim
        self.wq, self.wk = nn.Linear(hidden_dim, hidden_dim, bias=False), nn.Linear(hidden_dim, kv, bias=False)
        self.wv, self.wo = nn.Linear(hidden_dim, kv, bias=False), nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.w1 = nn.Linear(hidden_dim, mlp_dim, bias=False)
        self.w2 = nn.Linear(mlp_dim, hidden_dim, bias=False)
        self.w3 = nn.Linear(hidden_dim, mlp_dim, bias=False)
        self.attention_norm = nn.RMSNorm(hidden_dim, eps=1e-5)
        self.ffn_norm = nn.RMSNorm(hidden_dim, eps=1e-5)

    def apply_rotary_emb(self, t: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        a, b = t.chunk(2, dim=-1)
        return torch.cat((a * cos - b * sin, b * cos + a * sin), dim=-1)

    def forward(self, x, cos, sin):
        B, T, _ = x.shape
        n = self.attention_norm(x)
        q = self.wq(n).view(B, T, self.n_heads, self.head_dim)
        k = self.wk(n).view(B, T, self.n_kv, self.head_dim)
        v = self.wv(n).view(B, T, self.n_kv, self.head_dim)
        q, k = self.apply_rotary_emb(q, cos, sin), self.apply_rotary_emb(k, cos, sin)
        rep = self.n_heads // self.n_kv
        q, k, v = q.transpose(1, 2), k.repeat_interleave(rep, 2).transpose(1, 2), v.repeat_interleave(rep, 2).transpose(1, 2)
        s = q @ k.mT * self.head_dim ** -0.5
        s = s.masked_fill(~torch.ones(T, T, device=x.device).tril().bool(), float("-inf"))
        h = x + self.wo((s.softmax(-1) @ v).transpose(1, 2).reshape(B, T, -1))
        m = self.ffn_norm(h)
        return h + self.w2(silu(self.w1(m)) * self.w3(m))
