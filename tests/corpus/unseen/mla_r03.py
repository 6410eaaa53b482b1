import torch
from torch import nn


def rope_table(start, count, dim, device, dtype):
    inv = 10000.0 ** (-torch.arange(0, dim, 2, device=device, dtype=dtype) / dim)
    ang = torch.arange(start, start + count, device=device, dtype=dtype)[:, None] * inv
    return ang.cos(), ang.sin()


def rope(t, cos, sin):
    a, b = t.chunk(2, -1)
    return torch.cat((a * cos - b * sin, b * cos + a * sin), -1).to(t.dtype)


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, head_dim, rope_dim, latent_dim):
        super().__init__()
        self.num_heads = num_heads
        self.qk_nope_head_dim = self.v_head_dim = head_dim
        self.qk_rope_head_dim = rope_dim
        self.kv_lora_rank = latent_dim
        self.wq = nn.Linear(hidden_dim, num_heads * (head_dim + rope_dim), bias=False)
        self.wkv_a = nn.Linear(hidden_dim, latent_dim + rope_dim, bias=False)
        self.wk_b = nn.Linear(latent_dim, num_heads * head_dim, bias=False)
        self.wv_b = nn.Linear(latent_dim, num_heads * head_dim, bias=False)
        self.wo = nn.Linear(num_heads * head_dim, hidden_dim, bias=False)
        self.softmax_scale = (head_dim + rope_dim) ** -0.5

    def forward(self, x, cache=None):
        bsz, seqlen, _ = x.size()
        start_pos = cache[0].size(1) if cache is not None else 0
        angle_dtype = torch.promote_types(x.dtype, torch.float32)
        cos, sin = rope_table(start_pos, seqlen, self.qk_rope_head_dim, x.device, angle_dtype)

        q = self.wq(x).view(bsz, seqlen, self.num_heads, -1).transpose(1, 2)
        q_nope, q_pe = torch.split(q, [self.qk_nope_head_dim, self.qk_rope_head_dim], dim=-1)
        q_pe = rope(q_pe, cos, sin)
        kv, k_pe = torch.split(self.wkv_a(x), [self.kv_lora_rank, self.qk_rope_head_dim], dim=-1)
        k_pe = rope(k_pe, cos, sin)
        if cache is not None:
            kv = torch.cat((cache[0], kv), dim=1)
            k_pe = torch.cat((cache[1], k_pe), dim=1)

        end_pos = start_pos + seqlen
        k_nope = self.wk_b(kv).view(bsz, end_pos, self.num_heads, -1).transpose(1, 2)
        v = self.wv_b(kv).view(bsz, end_pos, self.num_heads, -1).transpose(1, 2)

        q = torch.cat((q_nope, q_pe), -1)
        k = torch.cat((k_nope, k_pe.unsqueeze(1).expand(-1, self.num_heads, -1, -1)), -1)
        scores = torch.matmul(q, k.transpose(-1, -2)) * self.softmax_scale
        mask = torch.full((seqlen, end_pos), float("-inf"), device=x.device, dtype=scores.dtype).triu_(start_pos + 1)
        out = torch.matmul((scores + mask).softmax(dim=-1), v)
        return self.wo(out.transpose(1, 2).flatten(2)), (kv, k_pe)
