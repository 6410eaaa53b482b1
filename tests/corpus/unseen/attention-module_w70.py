import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class MultiheadAttention(nn.Module):
    def __init__(self, embed_dim, num_heads, dropout=0.0, bias=True):
        super(MultiheadAttention, self).__init__()
        self.embed_dim = embed_dim
        self.num_heads = num_heads
        self.head_dim = embed_dim // num_heads
        self.p = dropout
        self.q_lin = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.k_lin = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.v_lin = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.o_lin = nn.Linear(embed_dim, embed_dim, bias=bias)

    def forward(self, query, key, value, key_padding_mask=None, need_weights=True,
                attn_mask=None, average_attn_weights=True):
        N = query.shape[0]
        Q = self.q_lin(query).view(N, -1, self.num_heads, self.head_dim)
        K = self.k_lin(key).view(N, -1, self.num_heads, self.head_dim)
        V = self.v_lin(value).view(N, -1, self.num_heads, self.head_dim)

        energy = torch.einsum("nqhd,nkhd->nhqk", [Q, K]) / math.sqrt(self.head_dim)
        if attn_mask is not None:
            if attn_mask.dim() == 3:
                attn_mask = attn_mask.view(N, self.num_heads, *attn_mask.shape[1:])
            if attn_mask.dtype == torch.bool:
                energy = energy.masked_fill(attn_mask, float("-inf"))
            else:
                energy = energy + attn_mask
        if key_padding_mask is not None:
            energy = energy.masked_fill(key_padding_mask[:, None, None, :], float("-inf"))

        attn = F.softmax(energy, dim=-1)
        if need_weights and average_attn_weights:
            attn = attn.mean(dim=1, keepdim=True)
        dropped = F.dropout(attn, self.p, self.training)

        out = torch.matmul(dropped, V.transpose(1, 2))
        out = out.transpose(1, 2).reshape(N, -1, self.embed_dim)
        out = self.o_lin(out)
        if need_weights:
            return out, attn.squeeze(1) if average_attn_weights else attn
        return out, None
