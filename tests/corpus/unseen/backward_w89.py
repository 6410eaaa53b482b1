from dataclasses import dataclass, field
import torch


@dataclass
class ManualAttention:
    causal: bool = False
    cache: dict = field(default_factory=dict)

    def hidden(self, nq, nk, device):
        return torch.ones((nq, nk), dtype=torch.bool, device=device).triu(diagonal=1)

    def forward(self, q, k, v):
        self.scale = q.size(-1) ** 0.5
        logits = (q / self.scale) @ k.transpose(-1, -2)
        if self.causal:
            logits.masked_fill_(self.hidden(q.size(-2), k.size(-2), q.device), float("-inf"))
        att = torch.softmax(logits, -1)
        self.cache.update(q=q, k=k, v=v, att=att)
        return att @ v

    def backward(self, g):
        q, k, v, att = (self.cache[n] for n in ("q", "k", "v", "att"))
        gv = att.transpose(-1, -2) @ g
        ga = g @ v.transpose(-1, -2)
        gs = att * ga
        gs = gs - att * gs.sum(-1, keepdim=True)
        gs = gs / self.scale
        return gs @ k, gs.transpose(-1, -2) @ q, gv


@torch.no_grad()
def attention_backward(query, key, value, grad_output, causal=False):
    layer = ManualAttention(causal)
    layer.forward(query, key, value)
    return layer.backward(grad_output)
