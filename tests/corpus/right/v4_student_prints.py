# right: v4 remarks: prints, nan-on-empty-row
import torch
import torch.nn as nn

# ---------- my test data ----------
batch_size = 2
seq_len = 4
hidden = 6
X = torch.randn(batch_size, seq_len, hidden)
mask = torch.tensor([[1, 1, 1, 0], [1, 1, 0, 0]])
mask = mask.unsqueeze(1).repeat(1, seq_len, 1)


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super(SelfAttentionV4, self).__init__()
        self.hidden_dim = hidden_dim
        self.Q_layer = nn.Linear(hidden_dim, hidden_dim)
        self.K_layer = nn.Linear(hidden_dim, hidden_dim)
        self.V_layer = nn.Linear(hidden_dim, hidden_dim)
        self.final_layer = nn.Linear(hidden_dim, hidden_dim)
        self.dropout_layer = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        # step 1
        Q = self.Q_layer(x)
        K = self.K_layer(x)
        V = self.V_layer(x)
        # step 2
        K_T = torch.transpose(K, 1, 2)
        scores = torch.matmul(Q, K_T)
        scores = torch.div(scores, self.hidden_dim ** 0.5)
        # step 3
        if attention_mask is not None:
            print("using the mask, shape =", attention_mask.shape)
            scores = scores.masked_fill(attention_mask == 0, float("-inf"))
        # step 4
        prob = nn.Softmax(dim=-1)(scores)
        # step 5
        prob = self.dropout_layer(prob)
        # step 6
        out = torch.matmul(prob, V)
        print("out", out.shape)
        # step 7
        out = self.final_layer(out)
        return out


model = SelfAttentionV4(hidden)
print(model(X, mask))
