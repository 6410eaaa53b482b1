# right: gqa-rope
import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.init import constant_, xavier_uniform_
from torch.nn.parameter import Parameter


def _rope_tables(tgt_len, offset, head_dim, base, like):
    k = torch.arange(head_dim, device=like.device) % (head_dim // 2)
    ang = (torch.arange(tgt_len, device=like.device) + offset).unsqueeze(1) * torch.pow(
        torch.tensor(float(base), dtype=torch.float64, device=like.device), -2.0 * k / head_dim
    )
    sign = torch.ones(head_dim, dtype=torch.float64, device=like.device)
    sign[: head_dim // 2] = -1
    return ang.cos().to(like), (ang.sin() * sign).to(like)


def _rope(t, cos, sin_signed):
    # t: (bsz, tgt_len, heads, head_dim). roll by half swaps the halves
    swapped = torch.roll(t, t.size(-1) // 2, dims=-1)
    return torch.addcmul(t * cos[:, None], swapped, sin_signed[:, None])


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, base=10000):
        super().__init__()
        self.embed_dim = hidden_dim
        self.num_heads = num_heads
        self.num_kv_heads = num_kv_heads
        self.head_dim = hidden_dim // num_heads
        self.base = base
        rows = (num_heads + 2 * num_kv_heads) * self.head_dim
        self.in_proj_weight = Parameter(torch.empty((rows, hidden_dim)))
        self.in_proj_bias = Parameter(torch.empty(rows))
        self.out_proj = nn.Linear(num_heads * self.head_dim, hidden_dim)
        self._reset_parameters()

    def _reset_parameters(self):
        xavier_uniform_(self.in_proj_weight)
        constant_(self.in_proj_bias, 0.0)
        constant_(self.out_proj.bias, 0.0)

    def forward(self, x, cache=None):
        bsz, tgt_len, _ = x.shape
        d, nh, nkv = self.head_dim, self.num_heads, self.num_kv_heads
        w_q, w_k, w_v = self.in_proj_weight.split([nh * d, nkv * d, nkv * d])
        b_q, b_k, b_v = self.in_proj_bias.split([nh * d, nkv * d, nkv * d])
        q = F.linear(x, w_q, b_q).view(bsz, tgt_len, nh, d)
        k = F.linear(x, w_k, b_k).view(bsz, tgt_len, nkv, d)
        v = F.linear(x, w_v, b_v).view(bsz, tgt_len, nkv, d)

        prev_k, prev_v = cache if cache is not None else (None, None)
        past = prev_k.size(1) if prev_k is not None else 0
        cos, sin = _rope_tables(tgt_len, past, d, self.base, x)
        q, k = _rope(q, cos, sin), _rope(k, cos, sin)
        if past:
            k = torch.cat([prev_k, k], dim=1)
            v = torch.cat([prev_v, v], dim=1)
        saved = [k, v]
        src_len = k.size(1)

        # fold the kv heads into the batch, the query heads of a group into the rows
        g = nh // nkv
        q = q.view(bsz, tgt_len, nkv, g, d).permute(0, 2, 3, 1, 4).reshape(bsz * nkv, g * tgt_len, d)
        k = k.transpose(1, 2).reshape(bsz * nkv, src_len, d)
        v = v.transpose(1, 2).reshape(bsz * nkv, src_len, d)

        attn_mask = torch.zeros(tgt_len, src_len, dtype=x.dtype, device=x.device)
        attn_mask.masked_fill_(
            torch.ones(tgt_len, src_len, dtype=torch.bool, device=x.device).triu_(1 + src_len - tgt_len), float("-inf")
        )
        attn_mask = attn_mask.repeat(g, 1).expand(bsz * nkv, -1, -1)
        attn = torch.baddbmm(attn_mask, q * d**-0.5, k.transpose(-2, -1))
        attn = F.softmax(attn, dim=-1)
        out = torch.bmm(attn, v)
        out = out.view(bsz, nkv, g, tgt_len, d).permute(0, 3, 1, 2, 4).reshape(bsz, tgt_len, nh * d)
        return self.out_proj(out), saved
