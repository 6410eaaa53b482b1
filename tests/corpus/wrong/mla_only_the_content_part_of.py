# wrong: mla scale-on-content-only line 47
# fair: scale-on-content-only 44 46
import torch
from torch import nn


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, head_dim, rope_dim, latent_dim):
        super().__init__()
        self.H, self.D, self.R, self.L = num_heads, head_dim, rope_dim, latent_dim
        self.Wq = nn.Parameter(torch.empty(num_heads, hidden_dim, head_dim + rope_dim))
        self.Wd = nn.Parameter(torch.empty(hidden_dim, latent_dim + rope_dim))
        self.Uk = nn.Parameter(torch.empty(num_heads, head_dim, latent_dim))
        self.Uv = nn.Parameter(torch.empty(num_heads, latent_dim, head_dim))
        self.Wo = nn.Parameter(torch.empty(num_heads * head_dim, hidden_dim))
        for p in self.parameters():
            nn.init.xavier_normal_(p)
            if p.dim() == 3:
                nn.init.normal_(p, std=(2 / (p.shape[1] + p.shape[2])) ** 0.5)

    def _rot(self, z, p):
        w = 10000.0 ** (torch.arange(self.R // 2, device=z.device, dtype=torch.float64) * (-2.0 / self.R))
        a = p.double().unsqueeze(1) * w
        co, si = a.cos().to(z.dtype), a.sin().to(z.dtype)
        l, r = z[..., : self.R // 2], z[..., self.R // 2 :]
        return torch.cat([l * co - r * si, r * co + l * si], dim=-1)

    def forward(self, x, cache=None):
        B, N, M = x.shape
        H, D, R, L = self.H, self.D, self.R, self.L
        off = 0 if cache is None else cache.size(1)
        p = torch.arange(off, off + N, device=x.device)

        new = x @ self.Wd
        new = torch.cat([new[..., :L], self._rot(new[..., L:], p)], dim=-1)
        cache = new if cache is None else torch.cat([cache, new], dim=1)
        S = cache.size(1)

        q = (x.unsqueeze(1) @ self.Wq)                                     # B H N D+R
        qa = (q[..., :D] @ self.Uk).reshape(B, H * N, L)
        qr = self._rot(q[..., D:], p).reshape(B, H * N, R)

        c, k = cache[..., :L], cache[..., L:]
        scale = (D + R) ** -0.5
        # scores = (qa . c + qr . k) * scale, in one go
        rope_scores = torch.bmm(qr, k.transpose(1, 2))
        s = torch.baddbmm(rope_scores, qa, c.transpose(1, 2), alpha=scale)
        s = s.view(B, H, N, S).masked_fill(p.unsqueeze(1) < torch.arange(S, device=x.device), -torch.inf)
        s = s.softmax(-1).view(B, H * N, S)
        o = torch.bmm(s, c).view(B, H, N, L) @ self.Uv                     # B H N D
        return o.permute(0, 2, 1, 3).reshape(B, N, H * D) @ self.Wo, cache
