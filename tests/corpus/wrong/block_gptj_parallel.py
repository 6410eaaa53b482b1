# wrong: block parallel-block line 38
import torch
from torch import nn


class GPTJAttention(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.num_attention_heads = config.num_attention_heads
        self.k_proj = nn.Linear(config.hidden_size, config.hidden_size, bias=False)
        self.v_proj = nn.Linear(config.hidden_size, config.hidden_size, bias=False)
        self.q_proj = nn.Linear(config.hidden_size, config.hidden_size, bias=False)
        self.out_proj = nn.Linear(config.hidden_size, config.hidden_size, bias=False)

    def forward(self, x):
        b, t, e = x.shape
        q, k, v = (f(x).view(b, t, self.num_attention_heads, -1).permute(0, 2, 1, 3)
                   for f in (self.q_proj, self.k_proj, self.v_proj))
        w = torch.matmul(q, k.transpose(-1, -2)) / q.size(-1) ** 0.5
        w = torch.where(torch.ones(t, t, device=x.device).tril() > 0, w, torch.finfo(w.dtype).min)
        out = torch.matmul(w.softmax(-1), v).permute(0, 2, 1, 3).reshape(b, t, e)
        return self.out_proj(out)


class GPTJBlock(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.ln_1 = nn.LayerNorm(config.hidden_size)
        self.attn = GPTJAttention(config)
        self.fc_in = nn.Linear(config.hidden_size, 4 * config.hidden_size)
        self.fc_out = nn.Linear(4 * config.hidden_size, config.hidden_size)
        self.act = nn.GELU()

    def forward(self, hidden_states):
        residual = hidden_states
        hidden_states = self.ln_1(hidden_states)
        attn_output = self.attn(hidden_states)
        feed_forward = self.fc_out(self.act(self.fc_in(hidden_states)))
        return attn_output + feed_forward + residual
