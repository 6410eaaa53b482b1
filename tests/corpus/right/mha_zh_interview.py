# right: mha
# 面试手撕 MHA
import torch
import torch.nn as nn
import math


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, head_num, attention_dropout=0.1) -> None:
        super().__init__()
        self.hidden_dim = hidden_dim
        self.head_num = head_num
        self.head_dim = hidden_dim // head_num  # head_num * head_dim = hidden_dim

        self.wq = nn.Linear(hidden_dim, hidden_dim)
        self.wk = nn.Linear(hidden_dim, hidden_dim)
        self.wv = nn.Linear(hidden_dim, hidden_dim)
        self.wo = nn.Linear(hidden_dim, hidden_dim)
        self.att_dropout = nn.Dropout(attention_dropout)

    def 分头(self, t):
        批, 长, _ = t.size()
        return t.view(批, 长, self.head_num, self.head_dim).transpose(1, 2)

    def 合并(self, t):
        批, 头, 长, 维 = t.size()
        return t.transpose(1, 2).contiguous().view(批, 长, 头 * 维)

    def forward(self, X, attention_mask=None):
        q, k, v = self.分头(self.wq(X)), self.分头(self.wk(X)), self.分头(self.wv(X))

        # (b, head_num, s, s)
        权重 = torch.matmul(q, k.transpose(2, 3)) / math.sqrt(self.head_dim)
        if attention_mask is not None:
            权重 = 权重.masked_fill(attention_mask == 0, float("-1e20"))
        权重 = torch.softmax(权重, dim=-1)
        权重 = self.att_dropout(权重)

        return self.wo(self.合并(权重 @ v))


if __name__ == "__main__":
    attention_mask = torch.tensor([[0, 1], [0, 0], [1, 0]]).unsqueeze(1).unsqueeze(2).expand(3, 8, 2, 2)
    x = torch.rand(3, 2, 128)
    print(MultiHeadAttention(128, 8)(x, attention_mask).shape)
