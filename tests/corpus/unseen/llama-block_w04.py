import math
import torch
import torch.nn.functional as F
from torch import Tensor, nn


def rotate_half(x: Tensor) -> Tensor:
    x1, x2 = x[..., : x.shape[-1] // 2], x[..., x.shape[-1] // 2 :]
    return torch.cat((-x2, x1), dim=-1)


def repeat_kv(t: Tensor, n_rep: int) -> Tensor:
    batch, n_kv, length, head_dim = t.shape
    if n_rep == 1:
        return t
    t = t[:, None].expand(batch, n_rep, n_kv, length, head_dim)
    return t.reshape(batch, n_rep * n_kv, length, head_dim)


class LlamaBlock(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int, mlp_dim: int) -> None:
        super().__init__()
        self.head_dim = hidden_dim // num_heads
        self.num_key_value_groups = num_heads // num_kv_heads
        self.q_proj = nn.Linear(hidden_dim, num_heads * self.head_dim, bias=False)
        self.k_proj = nn.Linear(hidden_dim, num_kv_heads * self.head_dim, bias=False)
        self.v_proj = nn.Linear(hidden_dim, num_kv_heads * self.head_dim, bias=False)
        self.o_proj = nn.Linear(num_heads * self.head_dim, hidden_dim, bias=False)
        self.gate_proj = nn.Linear(hidden_dim, mlp_dim, bias=False)
        self.up_proj = nn.Linear(hidden_dim, mlp_dim, bias=False)
        self.down_proj = nn.Linear(mlp_dim, hidden_dim, bias=False)
        self.input_layernorm = nn.RMSNorm(hidden_dim, eps=1e-5)
        self.post_attention_layernorm = nn.RMSNorm(hidden_dim, eps=1e-5)

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        bsz, q_len, _ = x.shape
        residual = x
        h = self.input_layernorm(x)
        q, k, v = (
            p(h).view(bsz, q_len, -1, self.head_dim).transpose(1, 2) for p in (self.q_proj, self.k_proj, self.v_proj)
        )
        cos2, sin2 = torch.cat((cos, cos), -1).to(q.dtype), torch.cat((sin, sin), -1).to(q.dtype)
        q = q * cos2 + rotate_half(q) * sin2
        k = k * cos2 + rotate_half(k) * sin2
        k, v = repeat_kv(k, self.num_key_value_groups), repeat_kv(v, self.num_key_value_groups)
        w = q @ k.transpose(2, 3) / math.sqrt(self.head_dim)
        w = w.masked_fill(torch.ones(q_len, q_len, dtype=torch.bool, device=x.device).triu(1), torch.finfo(w.dtype).min)
        w = F.softmax(w, dim=-1)
        h = residual + self.o_proj((w @ v).transpose(1, 2).reshape(bsz, q_len, -1))
        u = self.post_attention_layernorm(h)
        return h + self.down_proj(F.silu(self.gate_proj(u)) * self.up_proj(u))
