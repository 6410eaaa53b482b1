# DeepSeek-V2 paper, appendix C, same letters: W_DKV, W_UK, W_UV, W_KR, W_Q, W_QR, W_O
import torch
from torch import nn


def RoPE(t, pos):
    """t: (..., length, d_R), pos: (length,)"""
    d = t.size(-1)
    theta = torch.tensor(10000.0, dtype=torch.float64) ** (-torch.arange(0, d, 2).double() / d)
    m = pos.double()[:, None] * theta.to(pos.device)
    r = torch.polar(torch.ones_like(m), m)
    z = torch.view_as_complex(
        torch.stack(t.to(torch.float64).tensor_split(2, -1), -1).contiguous()
    ) * r
    return torch.cat(torch.view_as_real(z).unbind(-1), -1).to(t.dtype)


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, head_dim, rope_dim, latent_dim):
        super().__init__()
        self.n_h, self.d_h, self.d_R = num_heads, head_dim, rope_dim
        d, d_c = hidden_dim, latent_dim
        dims = {
            "W_DKV": (d_c, d), "W_UK": (num_heads * head_dim, d_c), "W_UV": (num_heads * head_dim, d_c),
            "W_Q": (num_heads * head_dim, d), "W_QR": (num_heads * rope_dim, d), "W_KR": (rope_dim, d),
            "W_O": (d, num_heads * head_dim),
        }
        for name, (rows, cols) in dims.items():
            self.register_parameter(name, nn.Parameter(torch.randn(rows, cols) / cols**0.5))

    def forward(self, h, cache=None):
        T = h.size(1)
        start = len(cache) if cache is not None else 0
        pos = torch.arange(start, start + T, device=h.device)

        c_KV = h @ self.W_DKV.T
        k_R = RoPE(h @ self.W_KR.T, pos)
        # the cache is a tuple with one (c, k_R) per position
        cache = tuple(cache or ()) + tuple(zip(c_KV.unbind(1), k_R.unbind(1)))
        c_KV = torch.stack([c for c, _ in cache], 1)
        k_R = torch.stack([k for _, k in cache], 1)

        q_C = (h @ self.W_Q.T).chunk(self.n_h, -1)
        q_R = (h @ self.W_QR.T).chunk(self.n_h, -1)
        k_C = (c_KV @ self.W_UK.T).chunk(self.n_h, -1)
        v_C = (c_KV @ self.W_UV.T).chunk(self.n_h, -1)

        j = torch.arange(len(cache), device=h.device)
        allowed = j[None, :] <= pos[:, None]
        o = []
        for i in range(self.n_h):
            s = q_C[i] @ k_C[i].mT + RoPE(q_R[i], pos) @ k_R.mT
            s = s * (self.d_h + self.d_R) ** -0.5
            s = s - torch.where(allowed, s, -torch.inf).amax(-1, keepdim=True).detach()
            e = torch.where(allowed, s, -torch.inf).exp()
            o.append((e / e.sum(-1, keepdim=True)) @ v_C[i])
        u = torch.cat(o, -1) @ self.W_O.T
        return u, cache
