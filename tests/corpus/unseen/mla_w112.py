import torch
import torch.nn as nn


class MultiHeadLatentAttention(nn.Module):
    """多头潜在注意力 (DeepSeek-V2)，不压缩查询"""

    def __init__(self, hidden_dim, num_heads, head_dim, rope_dim, latent_dim):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = head_dim
        self.rope_dim = rope_dim
        self.scale = head_dim ** -0.5

        # 查询：内容部分和旋转部分
        self.W_qc = nn.Linear(hidden_dim, num_heads * head_dim, bias=False)
        self.W_qr = nn.Linear(hidden_dim, num_heads * rope_dim, bias=False)
        # 降维得到潜在向量 c
        self.W_dkv = nn.Linear(hidden_dim, latent_dim, bias=False)
        # 所有头共享的旋转键
        self.W_kr = nn.Linear(hidden_dim, rope_dim, bias=False)
        # 升维
        self.W_uk = nn.Linear(latent_dim, num_heads * head_dim, bias=False)
        self.W_uv = nn.Linear(latent_dim, num_heads * head_dim, bias=False)
        self.W_o = nn.Linear(num_heads * head_dim, hidden_dim, bias=False)

    def rope(self, t, start):
        L, d = t.shape[-2], self.rope_dim
        pos = torch.arange(start, start + L, device=t.device, dtype=torch.float64)
        inv = 1.0 / 10000 ** (torch.arange(0, d, 2, device=t.device, dtype=torch.float64) / d)
        ang = pos[:, None] * inv[None, :]
        cos, sin = ang.cos().to(t.dtype), ang.sin().to(t.dtype)
        t1, t2 = t[..., : d // 2], t[..., d // 2 :]
        return torch.cat([t1 * cos - t2 * sin, t1 * sin + t2 * cos], dim=-1)

    def heads(self, t):
        B, L, _ = t.shape
        return t.view(B, L, self.num_heads, -1).transpose(1, 2)

    def forward(self, x, cache=None):
        B, L, _ = x.shape
        start = cache[0].shape[1] if cache is not None else 0

        q_c = self.heads(self.W_qc(x))
        q_r = self.rope(self.heads(self.W_qr(x)), start)

        c = self.W_dkv(x)                    # (B, L, latent)
        k_r = self.rope(self.W_kr(x), start)  # (B, L, rope)，先旋转再缓存
        if cache is not None:
            c = torch.cat([cache[0], c], dim=1)
            k_r = torch.cat([cache[1], k_r], dim=1)

        k_c = self.heads(self.W_uk(c))
        v = self.heads(self.W_uv(c))

        # 两部分分数相加
        scores = torch.matmul(q_c, k_c.transpose(-1, -2)) + torch.matmul(q_r, k_r.unsqueeze(1).transpose(-1, -2))
        scores = scores * self.scale

        S = c.shape[1]
        mask = torch.tril(torch.ones(L, S, device=x.device), diagonal=S - L)
        scores = scores.masked_fill(mask == 0, float("-inf"))
        out = torch.matmul(torch.softmax(scores, dim=-1), v)
        out = out.transpose(1, 2).reshape(B, L, -1)
        return self.W_o(out), (c, k_r)
