import torch
from torch import nn

PIECE = 128


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, head_dim, rope_dim, latent_dim):
        super().__init__()
        self.H, self.dc, self.dr, self.dl = num_heads, head_dim, rope_dim, latent_dim
        self.W_q = nn.Linear(hidden_dim, num_heads * (head_dim + rope_dim), bias=False)
        self.W_down = nn.Linear(hidden_dim, latent_dim + rope_dim, bias=False)
        self.W_up = nn.Linear(latent_dim, 2 * num_heads * head_dim, bias=False)
        self.W_o = nn.Linear(num_heads * head_dim, hidden_dim, bias=False)

    def angles(self, lo, hi, device):
        i = torch.arange(0, self.dr, 2, device=device).double()
        return torch.outer(torch.arange(lo, hi, device=device).double(), 10000 ** (-i / self.dr))

    def rope(self, t, theta):
        c, s = theta.cos().to(t.dtype), theta.sin().to(t.dtype)
        t1, t2 = t[..., : self.dr // 2], t[..., self.dr // 2 :]
        return torch.cat([t1 * c - t2 * s, t2 * c + t1 * s], -1)

    def forward(self, x, cache=None):
        B, T, _ = x.shape
        past = 0 if cache is None else cache.shape[1]
        theta = self.angles(past, past + T, x.device)

        q = self.W_q(x).view(B, T, self.H, self.dc + self.dr).transpose(1, 2)
        q = torch.cat([q[..., : self.dc], self.rope(q[..., self.dc :], theta)], -1)
        c, kr = self.W_down(x).split([self.dl, self.dr], -1)
        new = torch.cat([c, self.rope(kr, theta)], -1)  # latent_dim + rope_dim a position
        cache = new if cache is None else torch.cat([cache, new], 1)

        c, kr = cache.split([self.dl, self.dr], -1)
        S = cache.shape[1]
        k, v = self.W_up(c).view(B, S, 2, self.H, self.dc).permute(2, 0, 3, 1, 4)
        k = torch.cat([k, kr[:, None].expand(B, self.H, S, self.dr)], -1)

        if T <= PIECE:
            y = self.attend(q, k, v, past)
        else:
            y = torch.cat(
                [
                    self.attend(q[:, :, t : t + PIECE], k, v, t)
                    for t in range(0, T, PIECE)
                ],
                dim=2,
            )
        return self.W_o(y.transpose(1, 2).reshape(B, T, -1)), cache

    def attend(self, q, k, v, first):
        row = torch.arange(first, first + q.shape[2], device=q.device)[:, None]
        col = torch.arange(k.shape[2], device=q.device)[None]
        s = q @ k.transpose(-1, -2) * (self.dc + self.dr) ** -0.5
        return s.masked_fill(col > row, torch.finfo(s.dtype).min).softmax(-1) @ v
