# wrong: mla cache-part-missing line 39
import torch
import torch.nn as nn


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, head_dim, rope_dim, latent_dim):
        super().__init__()
        self.n_heads = num_heads
        self.d_nope, self.d_rope = head_dim, rope_dim
        self.W_dkv = nn.Linear(hidden_dim, latent_dim, bias=False)
        self.W_uk = nn.Linear(latent_dim, num_heads * head_dim, bias=False)
        self.W_uv = nn.Linear(latent_dim, num_heads * head_dim, bias=False)
        self.W_q = nn.Linear(hidden_dim, num_heads * head_dim, bias=False)
        self.W_qr = nn.Linear(hidden_dim, num_heads * rope_dim, bias=False)
        self.W_kr = nn.Linear(hidden_dim, rope_dim, bias=False)
        self.W_o = nn.Linear(num_heads * head_dim, hidden_dim, bias=False)

    def _rope(self, x, start):
        r = self.d_rope
        pos = torch.arange(start, start + x.shape[-2], device=x.device)
        ang = pos[:, None] * (10000 ** (-torch.arange(0, r, 2, device=x.device) / r))[None]
        x1, x2 = x[..., : r // 2], x[..., r // 2 :]
        return torch.cat([x1 * ang.cos() - x2 * ang.sin(), x1 * ang.sin() + x2 * ang.cos()], -1).to(x.dtype)

    def forward(self, x, cache=None):
        B, T, _ = x.shape
        start = 0 if cache is None else cache.shape[1]
        c = self.W_dkv(x)
        k_rope = self._rope(self.W_kr(x), start)
        if cache is not None:
            c = torch.cat([cache, c], dim=1)
        S = c.shape[1]
        heads = lambda t, n: t.view(B, n, self.n_heads, -1).transpose(1, 2)
        q = heads(self.W_q(x), T)
        q_rope = self._rope(heads(self.W_qr(x), T), start)
        k, v = heads(self.W_uk(c), S), heads(self.W_uv(c), S)
        scores = q @ k.transpose(-1, -2)
        scores = scores + q_rope @ k_rope.unsqueeze(1).transpose(-1, -2)
        scores = scores / (self.d_nope + self.d_rope) ** 0.5
        mask = torch.triu(torch.full((T, S), float("-inf"), device=x.device), S - T + 1).to(x.dtype)
        out = (scores + mask).softmax(-1) @ v
        return self.W_o(out.transpose(1, 2).reshape(B, T, -1)), c
