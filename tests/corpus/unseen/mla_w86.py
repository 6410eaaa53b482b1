import torch
from torch import nn
import torch.nn.functional as F


def rope(x, pos):
    # x (B, heads, T, r)
    half = x.size(-1) // 2
    inv_freq = 10000.0 ** (-torch.arange(0, x.size(-1), 2, dtype=torch.float64, device=x.device) / x.size(-1))
    ang = torch.outer(pos.to(torch.float64), inv_freq)
    cos, sin = ang.cos().to(x.dtype), ang.sin().to(x.dtype)
    x1, x2 = x[..., :half], x[..., half:]
    return torch.cat((x1 * cos - x2 * sin, x2 * cos + x1 * sin), dim=-1)


class MultiHeadLatentAttention(nn.Module):
    """DeepSeek-V2-Lite, names as in the HF port"""

    def __init__(self, hidden_dim, num_heads, head_dim, rope_dim, latent_dim):
        super().__init__()
        self.num_heads = num_heads
        self.qk_nope_head_dim = head_dim
        self.qk_rope_head_dim = rope_dim
        self.v_head_dim = head_dim
        self.kv_lora_rank = latent_dim
        self.q_head_dim = head_dim + rope_dim
        self.q_proj = nn.Linear(hidden_dim, num_heads * self.q_head_dim, bias=False)
        self.kv_a_proj_with_mqa = nn.Linear(hidden_dim, latent_dim + rope_dim, bias=False)
        self.kv_b_proj = nn.Linear(latent_dim, num_heads * 2 * head_dim, bias=False)
        self.o_proj = nn.Linear(num_heads * head_dim, hidden_dim, bias=False)
        self.softmax_scale = self.qk_nope_head_dim ** (-0.5)

    def forward(self, x, cache=None):
        bsz, q_len, _ = x.size()
        q = self.q_proj(x).view(bsz, q_len, self.num_heads, self.q_head_dim).transpose(1, 2)
        q_nope, q_pe = q.split([self.qk_nope_head_dim, self.qk_rope_head_dim], dim=-1)
        compressed_kv, k_pe = self.kv_a_proj_with_mqa(x).split([self.kv_lora_rank, self.qk_rope_head_dim], dim=-1)

        past = 0 if cache is None else cache[0].size(1)
        pos = torch.arange(past, past + q_len, device=x.device)
        q_pe = rope(q_pe, pos)
        k_pe = rope(k_pe.unsqueeze(1), pos).squeeze(1)
        if cache is not None:
            compressed_kv = torch.cat((cache[0], compressed_kv), dim=1)
            k_pe = torch.cat((cache[1], k_pe), dim=1)
        new_cache = (compressed_kv, k_pe)

        kv = self.kv_b_proj(compressed_kv).view(bsz, past + q_len, self.num_heads, -1).transpose(1, 2)
        k_nope, value = kv.chunk(2, dim=-1)
        weights = q_nope @ k_nope.transpose(2, 3) + q_pe @ k_pe.unsqueeze(1).transpose(2, 3)
        weights = weights * self.softmax_scale
        hide = torch.arange(past + q_len, device=x.device) > pos[:, None]
        weights = F.softmax(weights.masked_fill(hide, float("-inf")), dim=-1)
        out = (weights @ value).transpose(1, 2).reshape(bsz, q_len, -1)
        return self.o_proj(out), new_cache
