import torch
from torch import nn


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        for name in "qkv":
            setattr(self, f"to_{name}", nn.Linear(hidden_dim, hidden_dim, bias=name != "k"))
        self.rate = dropout

    def _weights(self, q, k, mask):
        logits = (q / k.size(-1) ** 0.5) @ k.transpose(-2, -1)
        if mask is None:
            return logits.softmax(-1)
        ok = mask.ne(0)
        w = logits.where(ok, torch.finfo(logits.dtype).min).softmax(-1)
        # rows without any key: zeros rather than a flat average
        return w.masked_fill(~ok.any(-1, keepdim=True), 0.0)

    def forward(self, x, attention_mask=None):
        q, k, v = (getattr(self, f"to_{name}")(x) for name in "qkv")
        w = self._weights(q, k, attention_mask)
        if self.training and self.rate > 0:
            w = torch.nn.functional.dropout(w, self.rate)
        return w @ v


if __name__ == "__main__":
    torch.manual_seed(0)
    m = SelfAttentionV4(8).eval()
    x = torch.randn(2, 5, 8)
    tri = torch.tril(torch.ones(5, 5)).expand(2, 5, 5)
    assert torch.allclose(m(x, tri)[:, 0], m.to_v(x)[:, 0], atol=1e-6)
