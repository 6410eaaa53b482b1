import torch
import torch.nn as nn
import torch.nn.functional as F


class MultiHeadLatentAttention(nn.Module):

    def __init__(self, hidden_dim, num_heads, head_dim, rope_dim, latent_dim):
        super().__init__()
        self.n_heads = num_heads
        self.qk_nope_head_dim = head_dim
        self.qk_rope_head_dim = rope_dim
        self.kv_lora_rank = latent_dim
        self.v_head_dim = head_dim

        self.q_proj = nn.Linear(hidden_dim, num_heads * (head_dim + rope_dim), bias=False)
        self.kv_a_proj_with_mqa = nn.Linear(hidden_dim, latent_dim + rope_dim, bias=False)
        self.kv_b_proj = nn.Linear(latent_dim, num_heads * (head_dim + head_dim), bias=False)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def _rope(self, t, offset):
        d = self.qk_rope_head_dim
        inv_freq = 1.0 / (10000 ** (torch.arange(0, d, 2, device=t.device).double() / d))
        pos = torch.arange(offset, offset + t.size(-2), device=t.device).double()
        emb = torch.outer(pos, inv_freq).repeat(1, 2)
        rotated = torch.cat((-t[..., d // 2:], t[..., : d // 2]), dim=-1)
        return t * emb.cos().to(t.dtype) + rotated * emb.sin().to(t.dtype)

    def forward(self, x, cache=None):
        bsz, q_len, _ = x.size()
        past = 0 if cache is None else cache.size(1)

        q = self.q_proj(x).view(bsz, q_len, self.n_heads, -1).transpose(1, 2)
        q_nope, q_pe = torch.split(q, [self.qk_nope_head_dim, self.qk_rope_head_dim], dim=-1)
        q_pe = self._rope(q_pe, past)

        compressed, k_pe = torch.split(
            self.kv_a_proj_with_mqa(x), [self.kv_lora_rank, self.qk_rope_head_dim], dim=-1
        )
        new = torch.cat([compressed, self._rope(k_pe, past)], dim=-1)
        cache = new if cache is None else torch.cat([cache, new], dim=1)
        kv_len = cache.size(1)

        compressed, k_pe = torch.split(cache, [self.kv_lora_rank, self.qk_rope_head_dim], dim=-1)
        kv = self.kv_b_proj(compressed).view(bsz, kv_len, self.n_heads, -1).transpose(1, 2)
        k_nope, value = torch.split(kv, [self.qk_nope_head_dim, self.v_head_dim], dim=-1)
        k_pe = k_pe.unsqueeze(1).expand(-1, self.n_heads, -1, -1)
        key = torch.cat([k_nope, k_pe], dim=-1)
        query = torch.cat([q_nope, q_pe], dim=-1)

        attn = torch.matmul(query, key.transpose(2, 3)) * query.size(-1) ** -0.5
        causal = torch.ones(q_len, kv_len, dtype=torch.bool, device=x.device).triu(past + 1)
        attn = F.softmax(attn.masked_fill(causal, float("-inf")), dim=-1)
        out = torch.matmul(attn, value).transpose(1, 2).reshape(bsz, q_len, -1)
        return self.o_proj(out), cache
