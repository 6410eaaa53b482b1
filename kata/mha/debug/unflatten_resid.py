from torch import Tensor, nn

Mask = Tensor | None


class MultiHeadAttention(nn.Module):
    def __init__(
        self, dim: int, num_heads: int = 8, dropout: float = 0.1, qkv_bias: bool = False
    ) -> None:
        super().__init__()
        if dim % num_heads:
            raise ValueError(f"dim {dim} should be divisible by num_heads {num_heads}.")
        self.num_heads = num_heads
        self.qkv = nn.Linear(dim, dim * 3, bias=qkv_bias)
        self.attn_drop = nn.Dropout(dropout)
        self.proj = nn.Linear(dim, dim)
        self.proj_drop = nn.Dropout(dropout)

    @property
    def head_dim(self) -> int:
        return self.proj.in_features // self.num_heads

    @property
    def scale(self) -> float:
        return self.head_dim**-0.5

    def forward(self, x: Tensor, attention_mask: Mask = None) -> Tensor:
        qkv = self.qkv(x).unflatten(2, (3, self.num_heads, self.head_dim)).permute(2, 0, 3, 1, 4)
        q, k, v = qkv.unbind(0)
        attn = (q * self.scale) @ k.transpose(-2, -1)
        if attention_mask is not None:
            attn = attn.masked_fill(attention_mask == 0, float("-inf"))
        attn = self.attn_drop(attn.softmax(dim=-1))
        x = (attn @ v).transpose(1, 2).flatten(2)
        return self.proj_drop(self.proj(x))
