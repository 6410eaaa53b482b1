# C++ 出身, 写得比较啰嗦
import torch
from torch import Tensor


class AttentionParams:
    def __init__(self, q: Tensor, k: Tensor, v: Tensor):
        self.B, self.H, self.M, self.K = q.shape
        self.N = k.shape[2]
        self.Kv = v.shape[3]
        self.scale = self.K ** -0.5


def compute_scores(q: Tensor, k: Tensor, p: AttentionParams) -> Tensor:
    s = torch.bmm(q.reshape(p.B * p.H, p.M, p.K), k.reshape(p.B * p.H, p.N, p.K).permute(0, 2, 1))
    return s.reshape(p.B, p.H, p.M, p.N).mul(p.scale)


def apply_causal(s: Tensor, p: AttentionParams) -> Tensor:
    row = torch.arange(p.M, device=s.device).reshape(p.M, 1)
    col = torch.arange(p.N, device=s.device).reshape(1, p.N)
    return s.masked_fill(col > row, float("-inf"))


def row_softmax(s: Tensor) -> Tensor:
    mx = s.max(dim=-1, keepdim=True).values
    ex = torch.exp(s - mx)
    return ex / ex.sum(dim=-1, keepdim=True)


def attention(query, key, value, mask=None, causal=False):
    p = AttentionParams(query, key, value)
    s = compute_scores(query, key, p)
    if mask is not None:
        s = s.masked_fill(mask == 0, float("-inf"))
    if causal:
        s = apply_causal(s, p)
    w = row_softmax(s).reshape(p.B * p.H, p.M, p.N)
    o = torch.bmm(w, value.reshape(p.B * p.H, p.N, p.Kv))
    return o.reshape(p.B, p.H, p.M, p.Kv)
