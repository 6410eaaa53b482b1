import torch
from torch import nn


class CrossAttention(nn.Module):
    """Heads are folded into the batch, as in fairseq; the saved state is a dict."""

    def __init__(self, dim, n_head):
        super().__init__()
        self.n_head = n_head
        self.scaling = (dim // n_head) ** -0.5
        self.q_proj = nn.Linear(dim, dim)
        self.kv_proj = nn.Linear(dim, dim * 2)
        self.out_proj = nn.Linear(dim, dim)

    def fold(self, t):
        b, n, d = t.shape
        t = t.reshape(b, n, self.n_head, d // self.n_head)
        return t.transpose(1, 2).flatten(0, 1)

    def forward(self, x, encoder_out, src_lengths, incremental_state=None):
        b, t, d = x.shape
        q = self.fold(self.q_proj(x) * self.scaling)
        saved = dict(incremental_state or {})
        if "prev_key" not in saved:
            k, v = self.kv_proj(encoder_out).split(d, dim=-1)
            n = torch.arange(encoder_out.size(1), device=x.device)
            hidden = n >= src_lengths[:, None]
            saved["prev_key"] = self.fold(k)
            saved["prev_value"] = self.fold(v)
            saved["prev_hidden"] = hidden.repeat_interleave(self.n_head, dim=0)
        w = torch.bmm(q, saved["prev_key"].transpose(1, 2))
        w = w.masked_fill(saved["prev_hidden"].unsqueeze(1), torch.finfo(w.dtype).min)
        w = w.softmax(dim=2)
        y = torch.bmm(w, saved["prev_value"])
        y = y.view(b, self.n_head, t, -1).transpose(1, 2).reshape(b, t, d)
        return self.out_proj(y), saved
