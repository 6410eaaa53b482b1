# right: causal remarks: prints
# 인과적 셀프 어텐션: 헤드를 배치 축으로 접어서 bmm 한 번에 계산
import torch
import torch.nn as nn


class CausalSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, block_size, dropout=0.1):
        super().__init__()
        print(f"[어텐션] 차원={hidden_dim} 헤드={num_heads} 최대 길이={block_size}")
        self.num_heads = num_heads
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.k = nn.Linear(hidden_dim, hidden_dim)
        self.v = nn.Linear(hidden_dim, hidden_dim)
        self.o = nn.Linear(hidden_dim, hidden_dim)
        self.drop = nn.Dropout(dropout)
        # 위쪽 삼각형 = 미래
        self.register_buffer("future", torch.triu(torch.ones(block_size, block_size), diagonal=1) > 0)

    def forward(self, x):
        T, d = x.size(1), x.size(2) // self.num_heads
        q = torch.cat(self.q(x).split(d, dim=2), dim=0)
        k = torch.cat(self.k(x).split(d, dim=2), dim=0)
        v = torch.cat(self.v(x).split(d, dim=2), dim=0)
        s = torch.bmm(q, k.transpose(1, 2)) / d ** 0.5
        s = s.masked_fill(self.future[:T, :T], float("-inf"))
        a = self.drop(torch.softmax(s, dim=2))
        y = torch.cat(torch.bmm(a, v).split(x.size(0), dim=0), dim=2)
        return self.o(y)
