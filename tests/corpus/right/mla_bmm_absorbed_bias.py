# right: mla
import torch
import torch.nn as nn


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, head_dim, rope_dim, latent_dim):
        super().__init__()
        self.H, self.D, self.R, self.L = num_heads, head_dim, rope_dim, latent_dim
        self.out_proj = nn.Linear(num_heads * head_dim, hidden_dim, bias=True)
        self.kv_up = nn.Linear(latent_dim, num_heads * 2 * head_dim, bias=True)   # per head: key | value
        self.kv_down = nn.Linear(hidden_dim, latent_dim + rope_dim, bias=True)
        self.q_proj = nn.Linear(hidden_dim, num_heads * (head_dim + rope_dim), bias=True)

    @staticmethod
    def rotate(t, pos):
        # t (N, n, r), pos (n,)
        r = t.shape[-1]
        k = torch.arange(r // 2, device=t.device)
        ang = pos[:, None].double() / torch.pow(torch.tensor(10000.0, dtype=torch.float64, device=t.device), 2 * k / r)
        cos, sin = ang.cos().to(t.dtype), ang.sin().to(t.dtype)
        lo, hi = t.narrow(-1, 0, r // 2), t.narrow(-1, r // 2, r // 2)
        return torch.cat((torch.addcmul(lo * cos, hi, sin, value=-1), torch.addcmul(hi * cos, lo, sin)), -1)

    def forward(self, x, cache=None):
        B, n, _ = x.shape
        H, D, R, L = self.H, self.D, self.R, self.L
        start = 0 if cache is None else cache["c"].shape[1]
        pos = torch.arange(start, start + n, device=x.device)

        c, kr = self.kv_down(x).split((L, R), dim=-1)
        kr = self.rotate(kr, pos)
        if cache is not None:
            c = torch.cat((cache["c"], c), 1)
            kr = torch.cat((cache["kr"], kr), 1)
        S = c.shape[1]

        q = self.q_proj(x).view(B, n, H, D + R).permute(0, 2, 1, 3).reshape(B * H, n, D + R)
        qc, qr = q.split((D, R), dim=-1)
        qr = self.rotate(qr, pos)

        U = self.kv_up.weight.view(H, 2, D, L)
        u = self.kv_up.bias.view(H, 2, D)
        Uk = U[:, 0].repeat(B, 1, 1)               # (B*H, D, L), batch major like q
        Uv = U[:, 1].repeat(B, 1, 1)
        uk = u[:, 0].repeat(B, 1).unsqueeze(2)     # (B*H, D, 1)
        uv = u[:, 1].repeat(B, 1).unsqueeze(1)     # (B*H, 1, D)
        C = c.repeat_interleave(H, dim=0)          # (B*H, S, L)
        K = kr.repeat_interleave(H, dim=0)         # (B*H, S, R)

        scale = 1.0 / (D + R) ** 0.5
        ql = torch.bmm(qc, Uk)                                          # (B*H, n, L)
        s = torch.bmm(qc, uk).expand(-1, -1, S)                         # key bias, the same for all keys
        s = torch.baddbmm(s, qr, K.transpose(1, 2))
        s = torch.baddbmm(s, ql, C.transpose(1, 2), beta=scale, alpha=scale)
        s = s.masked_fill(torch.arange(S, device=x.device)[None, :] > pos[:, None], float("-inf"))
        p = torch.softmax(s, dim=-1)
        o = torch.baddbmm(uv, torch.bmm(p, C), Uv.transpose(1, 2))      # rows of p sum to one
        o = o.view(B, H, n, D).transpose(1, 2).reshape(B, n, H * D)
        return self.out_proj(o), {"c": c, "kr": kr}
