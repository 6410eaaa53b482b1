# attn-kata: mla
import torch
import torch.nn.functional as F
from torch import nn


class MultiHeadLatentAttention(nn.Module):
    """多头潜在注意力 (MLA)。cache 里只放 latent 和旋转后的 key。"""

    def __init__(self, hidden_dim, num_heads, head_dim, rope_dim, latent_dim):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = head_dim
        self.rope_dim = rope_dim
        self.scale = (head_dim + rope_dim) ** -0.5
        self.wq = nn.Linear(hidden_dim, num_heads * head_dim)
        self.wq_rope = nn.Linear(hidden_dim, num_heads * rope_dim)
        self.wc = nn.Linear(hidden_dim, latent_dim)
        self.wk = nn.Linear(latent_dim, num_heads * head_dim)
        self.wv = nn.Linear(latent_dim, num_heads * head_dim)
        self.wk_rope = nn.Linear(hidden_dim, rope_dim)
        self.wo = nn.Linear(num_heads * head_dim, hidden_dim)

    def angles(self, start, n, device):
        i = torch.arange(0, self.rope_dim, 2, device=device, dtype=torch.float64)
        pos = torch.arange(start, start + n, device=device, dtype=torch.float64)
        return pos[:, None] / 10000 ** (i / self.rope_dim)

    @staticmethod
    def rotate(x, ang):
        # x 的最后两维: (n, rope_dim)
        emb = torch.cat([ang, ang], dim=-1)
        x1, x2 = x.chunk(2, dim=-1)
        return x * emb.cos().to(x.dtype) + torch.cat([-x2, x1], dim=-1) * emb.sin().to(x.dtype)

    def forward(self, x, cache=None):
        b, n, _ = x.shape
        if cache is None:
            cache = {"c": x.new_zeros(b, 0, self.wc.out_features), "kr": x.new_zeros(b, 0, self.rope_dim)}
        past = cache["c"].shape[1]
        ang = self.angles(past, n, x.device)

        # 新的 latent 和旋转 key 接在后面
        cache["c"] = torch.cat([cache["c"], self.wc(x)], dim=1)
        cache["kr"] = torch.cat([cache["kr"], self.rotate(self.wk_rope(x), ang)], dim=1)
        c, kr = cache["c"], cache["kr"]
        m = c.shape[1]

        q = self.wq(x).view(b, n, self.num_heads, self.head_dim).transpose(1, 2)
        qr = self.rotate(self.wq_rope(x).view(b, n, self.num_heads, self.rope_dim).transpose(1, 2), ang)
        k = self.wk(c).view(b, m, self.num_heads, self.head_dim).transpose(1, 2)
        v = self.wv(c).view(b, m, self.num_heads, self.head_dim).transpose(1, 2)

        scores = (q @ k.mT + qr @ kr[:, None].mT) * self.scale
        future = torch.ones(n, m, dtype=torch.bool, device=x.device).triu(past + 1)
        w = F.softmax(scores.masked_fill(future, float("-inf")), dim=-1)
        out = (w @ v).transpose(1, 2).reshape(b, n, -1)
        return self.wo(out), cache
