# caches are dicts of chunks ("pages"), never concatenated for keeping; softmax is merged page by page
import torch
from torch import nn


class CachedSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        d = hidden_dim // num_heads
        self.kernel = nn.Parameter(torch.randn(hidden_dim, 3, num_heads, d) * hidden_dim**-0.5)
        self.merge = nn.Parameter(torch.randn(num_heads, d, hidden_dim) * hidden_dim**-0.5)

    def forward(self, x, cache=None):
        q, k, v = torch.einsum("btm,mchd->cbhtd", x, self.kernel)
        q = q * q.shape[-1] ** -0.5
        pages = [] if cache is None else list(cache["pages"])
        pages.append((k, v))

        logits = []
        for i, (pk, _) in enumerate(pages):
            s = torch.einsum("bhtd,bhsd->bhts", q, pk)
            if i == len(pages) - 1:  # only the newest page has a future
                t = x.shape[1]
                s = s + torch.full((t, t), float("-inf"), dtype=s.dtype, device=s.device).triu(1)
            logits.append(s)
        top = torch.stack([s.amax(-1) for s in logits]).amax(0).unsqueeze(-1)
        exps = [torch.exp(s - top) for s in logits]
        total = sum(e.sum(-1, keepdim=True) for e in exps)
        context = sum(e @ pv for e, (_, pv) in zip(exps, pages)) / total
        return torch.einsum("bhtd,hdm->btm", context, self.merge), {"pages": tuple(pages)}
