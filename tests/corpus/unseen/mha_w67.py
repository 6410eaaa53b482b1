import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    # after the seq2seq tutorial, part 6
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()

        assert hidden_dim % num_heads == 0

        self.hid_dim = hidden_dim
        self.n_heads = num_heads
        self.head_dim = hidden_dim // num_heads

        self.fc_q = nn.Linear(hidden_dim, hidden_dim)
        self.fc_k = nn.Linear(hidden_dim, hidden_dim)
        self.fc_v = nn.Linear(hidden_dim, hidden_dim)

        self.fc_o = nn.Linear(hidden_dim, hidden_dim)

        self.dropout = nn.Dropout(dropout)

        self.scale = torch.sqrt(torch.FloatTensor([self.head_dim]))

    def forward(self, x, attention_mask=None):
        batch_size = x.shape[0]

        # Q, K, V = [batch size, len, hid dim]
        Q = self.fc_q(x)
        K = self.fc_k(x)
        V = self.fc_v(x)

        # [batch size, n heads, len, head dim]
        Q = Q.view(batch_size, -1, self.n_heads, self.head_dim).permute(0, 2, 1, 3)
        K = K.view(batch_size, -1, self.n_heads, self.head_dim).permute(0, 2, 1, 3)
        V = V.view(batch_size, -1, self.n_heads, self.head_dim).permute(0, 2, 1, 3)

        energy = torch.matmul(Q, K.permute(0, 1, 3, 2)) / self.scale.to(x.device)

        if attention_mask is not None:
            energy = energy.masked_fill(attention_mask == 0, -1e4)

        attention = torch.softmax(energy, dim=-1)

        x = torch.matmul(self.dropout(attention), V)
        x = x.permute(0, 2, 1, 3).contiguous()
        x = x.view(batch_size, -1, self.hid_dim)
        return self.fc_o(x)
