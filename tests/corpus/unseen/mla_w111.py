import torch
import torch.nn as nn


def rope(x, pos):
    # x: (..., len, dim), pos: (len,)
    half = x.size(-1) // 2
    freq = 10000.0 ** (-torch.arange(half, device=x.device, dtype=torch.float32) / half)
    ang = pos.float()[:, None] * freq
    c, s = ang.cos().to(x.dtype), ang.sin().to(x.dtype)
    x1, x2 = x[..., :half], x[..., half:]
    return torch.cat((x1 * c - x2 * s, x2 * c + x1 * s), -1)


class MultiHeadLatentAttention(nn.Module):
    """多头潜在注意力（DeepSeek-V2-Lite，没有 query 压缩）"""

    def __init__(self, hidden_dim, num_heads, head_dim, rope_dim, latent_dim):
        super().__init__()
        self.H, self.Dc, self.Dr, self.L = num_heads, head_dim, rope_dim, latent_dim
        self.q_proj = nn.Linear(hidden_dim, num_heads * (head_dim + rope_dim), bias=False)
        self.kv_down = nn.Linear(hidden_dim, latent_dim + rope_dim, bias=False)
        self.kv_up = nn.Linear(latent_dim, num_heads * 2 * head_dim, bias=False)
        self.o_proj = nn.Linear(num_heads * head_dim, hidden_dim, bias=False)
        self.scale = (head_dim + rope_dim) ** -0.5

    def forward(self, x, cache=None):
        B, T, _ = x.shape
        # 每个头的 query：内容部分 + 旋转部分
        q = self.q_proj(x).view(B, T, self.H, self.Dc + self.Dr).transpose(1, 2)
        qc, qr = q.split([self.Dc, self.Dr], dim=-1)
        # 潜变量 c 和所有头共享的旋转 key
        c, kr = self.kv_down(x).split([self.L, self.Dr], dim=-1)
        if cache is not None:
            c = torch.cat([cache[0], c], dim=1)
            kr = torch.cat([cache[1], kr], dim=1)
        S = c.size(1)
        pos = torch.arange(S, device=x.device)
        kr = rope(kr, pos)
        qr = rope(qr, pos[S - T:])
        # 还原 key / value
        kc, v = self.kv_up(c).view(B, S, self.H, 2 * self.Dc).transpose(1, 2).chunk(2, dim=-1)
        s = qc @ kc.transpose(-1, -2) + qr @ kr[:, None].transpose(-1, -2)
        s = s * self.scale
        # 因果掩码
        future = pos[None, :] > pos[S - T:, None]
        p = s.masked_fill(future, float('-inf')).softmax(-1)
        y = (p @ v).transpose(1, 2).reshape(B, T, self.H * self.Dc)
        return self.o_proj(y), (c, kr)
