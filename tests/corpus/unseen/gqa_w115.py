import torch
from torch import nn


class GroupedQueryAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads):
        super().__init__()
        self.nh, self.nkv = num_heads, num_kv_heads
        self.hd = hidden_dim // num_heads
        self.q = nn.Linear(hidden_dim, self.nh * self.hd)
        self.k = nn.Linear(hidden_dim, self.nkv * self.hd)
        self.v = nn.Linear(hidden_dim, self.nkv * self.hd)
        self.o = nn.Linear(self.nh * self.hd, hidden_dim)

    def forward(self, x, attention_mask=None):
        # 形状: (批, 长度, 头, 头宽)
        q = self.q(x).unflatten(-1, (self.nh, self.hd))
        k = self.k(x).unflatten(-1, (self.nkv, self.hd))
        v = self.v(x).unflatten(-1, (self.nkv, self.hd))
        if attention_mask is None:
            attention_mask = torch.ones(1, 1, 1, x.shape[1], device=x.device)
        # 掩码扩展到每个头
        mask = attention_mask.expand(-1, self.nh, -1, -1)

        # 每组查询头共用一个 key / value 头
        groups = zip(
            q.split(self.nkv, dim=2), mask.split(self.nkv, dim=1),
            k.unbind(dim=2), v.unbind(dim=2),
        )
        out = []
        for qg, mg, kg, vg in groups:
            s = torch.einsum('blgd,bmd->bglm', qg, kg) / self.hd ** 0.5
            s = s.masked_fill(mg == 0, torch.finfo(s.dtype).min)
            out.append(torch.einsum('bglm,bmd->blgd', torch.softmax(s, dim=-1), vg))
        # 合并所有头
        return self.o(torch.cat(out, dim=2).flatten(2))
