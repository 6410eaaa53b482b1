# right: v1 remarks: returns-tuple
# 自注意力，最基础的版本
import torch
import torch.nn as nn


class SelfAttention(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        # 三个线性层，分别得到 Q、K、V
        self.w_q = nn.Linear(hidden_dim, hidden_dim)
        self.w_k = nn.Linear(hidden_dim, hidden_dim)
        self.w_v = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x):
        q, k, v = self.w_q(x), self.w_k(x), self.w_v(x)
        d_k = q.size(-1)
        # 打分：点积除以根号 d_k，防止梯度消失
        scores = q @ k.transpose(-2, -1) / torch.sqrt(torch.tensor(d_k))
        attn = scores.softmax(dim=-1)
        # 同时返回注意力权重，方便画图
        return attn @ v, attn


if __name__ == "__main__":
    m = SelfAttention(16)
    y, a = m(torch.randn(3, 5, 16))
    print(y.shape, a.shape)
