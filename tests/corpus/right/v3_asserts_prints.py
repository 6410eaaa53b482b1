# right: v3
import torch
import torch.nn as nn


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        assert isinstance(hidden_dim, int) and hidden_dim > 0, "hidden_dim must be a positive int"
        assert 0 <= dropout < 1, "dropout is a probability"
        super().__init__()
        self.Wq = nn.Linear(hidden_dim, hidden_dim)
        self.Wk = nn.Linear(hidden_dim, hidden_dim)
        self.Wv = nn.Linear(hidden_dim, hidden_dim)
        self.Wo = nn.Linear(hidden_dim, hidden_dim)
        self.drop = nn.Dropout(p=dropout)
        for p in self.parameters():
            if p.dim() > 1:
                nn.init.xavier_uniform_(p)

    def forward(self, x, attention_mask=None):
        assert x.dim() == 3, f"x should be (B, T, D), is {tuple(x.shape)}"
        B, T, D = x.shape
        Q, K, V = self.Wq(x), self.Wk(x), self.Wv(x)
        print("Q", Q.shape, "K", K.shape, "V", V.shape)
        S = Q @ K.permute(0, 2, 1) / D ** 0.5
        assert S.shape == (B, T, T)
        print("scores", S.shape)
        if attention_mask is not None:
            assert attention_mask.shape[-2:] == S.shape[-2:], "mask is (B, T, T)"
            S[attention_mask.expand_as(S) == 0] = float("-inf")
        A = torch.softmax(S, dim=-1)
        A = self.drop(A)
        print("weights", A.shape)
        Y = self.Wo(A @ V)
        assert Y.shape == x.shape
        return Y
