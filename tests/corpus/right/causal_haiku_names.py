# right: causal remarks: fill-overflows-half
# names and shapes as one would have them in jax: (model, heads, key_size)
import torch


class CausalMHA(torch.nn.Module):
    def __init__(self, num_heads, key_size, model_size):
        super().__init__()
        self.num_heads, self.key_size, self.model_size = num_heads, key_size, model_size
        rng = torch.Generator().manual_seed(0)
        init = lambda *shape: torch.nn.Parameter(torch.randn(*shape, generator=rng) / model_size ** 0.5)
        self.w_q = init(model_size, num_heads, key_size)
        self.w_k = init(model_size, num_heads, key_size)
        self.w_v = init(model_size, num_heads, key_size)
        self.w_o = init(num_heads, key_size, model_size)

    def forward(self, xs):
        *_, seq_len, _ = xs.shape
        query_heads = torch.einsum("...tm,mhk->...thk", xs, self.w_q)
        key_heads = torch.einsum("...tm,mhk->...thk", xs, self.w_k)
        value_heads = torch.einsum("...tm,mhk->...thk", xs, self.w_v)
        attn_logits = torch.einsum("...thd,...Thd->...htT", query_heads, key_heads)
        attn_logits = attn_logits / self.key_size ** 0.5
        mask = torch.tril(torch.ones((seq_len, seq_len), device=xs.device))
        attn_logits = torch.where(mask > 0, attn_logits, -1e30)
        attn_weights = torch.softmax(attn_logits, dim=-1)
        attn = torch.einsum("...htT,...Thd->...thd", attn_weights, value_heads)
        return torch.einsum("...thk,hkm->...tm", attn, self.w_o)
