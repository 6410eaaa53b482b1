import torch
from torch import nn

SMALL = {"width": 48, "q_heads": 6, "kv_heads": 2}


class GroupedQueryAttention(nn.Module):
    """GroupedQueryAttention({"width": ..., "q_heads": ..., "kv_heads": ...})"""

    def __init__(self, c=SMALL):
        super().__init__()
        D, H, G = c["width"], c["q_heads"], c["kv_heads"]
        assert D % H == 0 and H % G == 0
        self.G, self.r, self.d = G, H // G, D // H
        # for each group its r query heads, its key and its value, side by side
        self.wqkv = nn.Linear(D, G * (self.r + 2) * self.d, bias=c.get("bias", False))
        self.wo = nn.Linear(D, D, bias=c.get("bias", False))

    def forward(self, x, attention_mask=None):
        G, r, d = self.G, self.r, self.d
        t = self.wqkv(x).unflatten(-1, (G, r + 2, d))  # B T G r+2 d
        q, k, v = t.split([r, 1, 1], dim=3)
        k, v = k.squeeze(3), v.squeeze(3)  # B T G d
        s = torch.einsum("btgrd,bsgd->bgrts", q, k) / d**0.5
        if attention_mask is not None:
            m = attention_mask != 0
            m = m.unsqueeze(1) if m.size(1) == 1 else m.unflatten(1, (G, r))
            s = torch.where(m, s, torch.finfo(s.dtype).min)
        y = torch.einsum("bgrts,bsgd->btgrd", s.softmax(-1), v)
        return self.wo(y.flatten(2))
