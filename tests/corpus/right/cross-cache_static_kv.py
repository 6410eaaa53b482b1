# right: cross-cache
# Time first and heads folded into the batch, as fairseq has it.
import torch
import torch.nn as nn
import torch.nn.functional as F


class CrossAttention(nn.Module):
    def __init__(self, embed_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = embed_dim // num_heads
        self.scaling = self.head_dim**-0.5
        self.k_proj = nn.Linear(embed_dim, embed_dim)
        self.v_proj = nn.Linear(embed_dim, embed_dim)
        self.q_proj = nn.Linear(embed_dim, embed_dim)
        self.out_proj = nn.Linear(embed_dim, embed_dim)

    def fold(self, t, bsz):
        return t.contiguous().view(-1, bsz * self.num_heads, self.head_dim).transpose(0, 1)

    def forward(self, x, memory, memory_lengths, incremental_state=None):
        bsz, tgt_len, embed_dim = x.size()
        q = self.fold(self.q_proj(x.transpose(0, 1)) * self.scaling, bsz)
        saved_state = incremental_state
        if saved_state is not None and "prev_key" in saved_state:
            k = saved_state["prev_key"].view(bsz * self.num_heads, -1, self.head_dim)
            v = saved_state["prev_value"].view(bsz * self.num_heads, -1, self.head_dim)
            key_padding_mask = saved_state["prev_key_padding_mask"]
        else:
            key = memory.transpose(0, 1)
            k, v = self.fold(self.k_proj(key), bsz), self.fold(self.v_proj(key), bsz)
            ids = torch.arange(memory.size(1), device=memory.device)
            key_padding_mask = ids.unsqueeze(0).ge(memory_lengths.unsqueeze(1))
            saved_state = {
                "prev_key": k.view(bsz, self.num_heads, -1, self.head_dim),
                "prev_value": v.view(bsz, self.num_heads, -1, self.head_dim),
                "prev_key_padding_mask": key_padding_mask,
            }
        src_len = k.size(1)
        attn_weights = torch.bmm(q, k.transpose(1, 2))
        attn_weights = attn_weights.view(bsz, self.num_heads, tgt_len, src_len)
        attn_weights = attn_weights.masked_fill(
            key_padding_mask.unsqueeze(1).unsqueeze(2), float("-inf")
        )
        attn_weights = attn_weights.view(bsz * self.num_heads, tgt_len, src_len)
        attn = torch.bmm(F.softmax(attn_weights, dim=-1), v)
        attn = attn.transpose(0, 1).contiguous().view(tgt_len, bsz, embed_dim)
        return self.out_proj(attn).transpose(0, 1), saved_state
