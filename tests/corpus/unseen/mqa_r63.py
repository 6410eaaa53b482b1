# マルチクエリ注意。クエリはヘッドごとに行列を持ち、キーと値は一組だけ。
import torch
from torch import nn


def 行列(n, m):
    return nn.Parameter(torch.randn(n, m) / n ** 0.5)


class MultiQueryAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        d = hidden_dim // num_heads
        self.scale = d ** -0.5
        self.wq = nn.ParameterList([行列(hidden_dim, d) for _ in range(num_heads)])
        self.wk = 行列(hidden_dim, d)
        self.wv = 行列(hidden_dim, d)
        # 出力の射影もヘッドごとに分け、足し合わせる（連結してから掛けるのと同じ）
        self.wo = nn.ParameterList([行列(d, hidden_dim) for _ in range(num_heads)])

    def forward(self, x, attention_mask=None):
        k = x @ self.wk          # (B, T, d)
        v = x @ self.wv          # (B, T, d)
        y = 0
        for i, (wq, wo) in enumerate(zip(self.wq, self.wo)):
            s = (x @ wq) @ k.mT * self.scale          # (B, T, T)
            if attention_mask is not None:
                # ヘッド軸が 1 のときは全ヘッド共通
                m = attention_mask[:, i if attention_mask.shape[1] > 1 else 0]
                s = s.masked_fill(m == 0, float("-inf"))
            y = y + s.softmax(-1) @ v @ wo
        return y
