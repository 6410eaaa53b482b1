import torch
from torch import nn
import torch.nn.functional as F


class LlamaBlock(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, mlp_dim):
        super().__init__()
        self.hd, self.kv = hidden_dim // num_heads, num_kv_heads
        self.sizes = (hidden_dim, num_kv_heads * self.hd, num_kv_heads * self.hd)
        lin = lambda i, o: nn.Parameter(nn.init.kaiming_uniform_(torch.empty(o, i), a=5 ** 0.5))
        self.w_qkv, self.w_o = lin(hidden_dim, sum(self.sizes)), lin(hidden_dim, hidden_dim)
        self.w_13, self.w_2 = lin(hidden_dim, 2 * mlp_dim), lin(mlp_dim, hidden_dim)
        self.ln = nn.Parameter(torch.ones(2, hidden_dim))

    @staticmethod
    def rms(u, w):
        return F.rms_norm(u, (u.shape[-1],), w, eps=1e-5)

    @staticmethod
    def turn(z, cos, sin):
        """z (..., T, hd) seen as 2 x hd/2, times the rotation matrix"""
        rot = torch.stack((torch.stack((cos, -sin), 0), torch.stack((sin, cos), 0)), 0)      # 2 2 T hd/2
        return torch.einsum("oitp,...tip->...top", rot.to(z.dtype), z.unflatten(-1, (2, -1))).flatten(-2)

    def forward(self, x, cos, sin):
        B, T, C = x.shape
        q, k, v = F.linear(self.rms(x, self.ln[0]), self.w_qkv).split(self.sizes, -1)
        q = self.turn(q.view(B, T, self.kv, -1, self.hd).permute(0, 2, 3, 1, 4), cos, sin)   # B kv g T d
        k = self.turn(k.view(B, T, self.kv, self.hd).transpose(1, 2), cos, sin)[:, :, None]
        v = v.view(B, T, self.kv, self.hd).transpose(1, 2)[:, :, None]
        s = (q @ k.mT) * self.hd ** -0.5
        s = s.masked_fill(torch.ones(T, T, dtype=torch.bool, device=x.device).triu(1), -torch.inf)
        h = x + F.linear((s.softmax(-1) @ v).permute(0, 3, 1, 2, 4).reshape(B, T, C), self.w_o)
        gate, up = F.linear(self.rms(h, self.ln[1]), self.w_13).tensor_split(2, -1)
        return h + F.linear(gate * gate.sigmoid() * up, self.w_2)
