# right: causal
import torch
from einops import rearrange
from torch import nn

GPT_CONFIG = {
    "emb_dim": 48,
    "n_heads": 4,
    "context_length": 16,
    "drop_rate": 0.1,
    "qkv_bias": False,
}


class CausalSelfAttention(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.h = cfg["n_heads"]
        self.to_qkv = nn.Linear(cfg["emb_dim"], 3 * cfg["emb_dim"], bias=cfg["qkv_bias"])
        self.to_out = nn.Linear(cfg["emb_dim"], cfg["emb_dim"])
        self.drop = nn.Dropout(cfg["drop_rate"])
        L = cfg["context_length"]
        self.register_buffer("visible", torch.ones(L, L, dtype=torch.bool).tril())

    def forward(self, x):
        n = x.shape[1]
        q, k, v = rearrange(self.to_qkv(x), "b n (qkv h d) -> qkv b h n d", qkv=3, h=self.h)
        sim = torch.einsum("bhid,bhjd->bhij", q, k) / q.shape[-1] ** 0.5
        sim = sim.where(self.visible[:n, :n], torch.tensor(float("-inf"), dtype=sim.dtype, device=sim.device))
        out = torch.einsum("bhij,bhjd->bhid", self.drop(sim.softmax(-1)), v)
        return self.to_out(rearrange(out, "b h n d -> b n (h d)"))


if __name__ == "__main__":
    m = CausalSelfAttention(GPT_CONFIG)
    print(m(torch.randn(2, 5, 48)).shape)
