import math
import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    """输入宽度由第一次调用决定 (LazyLinear). 构造函数里先空跑一次, 这样参数一开始就是完整的."""

    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        assert hidden_dim % num_heads == 0, "hidden_dim 必须能被 num_heads 整除"
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.layers = nn.ModuleDict()
        for name in ("query", "key", "value", "output"):
            self.layers[name] = nn.LazyLinear(hidden_dim)
        self.dropout = nn.Dropout(dropout)
        with torch.no_grad():
            self(torch.zeros(1, 1, hidden_dim))

    def heads(self, name, x):
        # (B, T, C) -> H 个 (B, T, D)
        return self.layers[name](x).split(self.head_dim, dim=-1)

    def forward(self, x, attention_mask=None):
        outputs = []
        triples = zip(self.heads("query", x), self.heads("key", x), self.heads("value", x))
        for h, (q, k, v) in enumerate(triples):
            scores = torch.bmm(q, k.transpose(1, 2)) / math.sqrt(self.head_dim)
            if attention_mask is not None:
                m = attention_mask
                while m.dim() < 4:  # 允许广播: 在前面补维度
                    m = m.unsqueeze(0)
                m = m[:, h] if m.size(1) > 1 else m[:, 0]
                scores = scores.masked_fill(m == 0, float("-inf"))
            weights = self.dropout(torch.softmax(scores, dim=-1))
            outputs.append(torch.bmm(weights, v))
        return self.layers["output"](torch.cat(outputs, dim=-1))


if __name__ == "__main__":
    mha = MultiHeadAttention(12, 3)
    print(mha)
    print(mha(torch.randn(2, 5, 12), torch.ones(2, 1, 1, 5)).shape)
