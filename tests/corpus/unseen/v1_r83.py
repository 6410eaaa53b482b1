# channels-first all the way, as in the SAGAN / non-local block repositories
import torch
import torch.nn as nn


class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim: int):
        super().__init__()
        self.theta = nn.Conv1d(hidden_dim, hidden_dim, kernel_size=1, bias=False)
        self.phi = nn.Conv1d(hidden_dim, hidden_dim, kernel_size=1)
        self.g = nn.Conv1d(hidden_dim, hidden_dim, kernel_size=1)
        self.scale = hidden_dim**-0.5

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        signal = x.mT                      # B, C, N
        theta_x = self.theta(signal).mT    # B, N, C   (queries)
        phi_x = self.phi(signal)           # B, C, N   (keys)
        g_x = self.g(signal)               # B, C, N   (values)

        n, length = theta_x.size(0), theta_x.size(1)
        nothing = theta_x.new_zeros(n, length, length)
        energy = torch.baddbmm(nothing, theta_x, phi_x, beta=0.0, alpha=self.scale)
        # softmax in its log form: exp(e - log sum exp e), along the keys
        attention = torch.exp(energy - torch.logsumexp(energy, dim=2, keepdim=True))
        return torch.bmm(g_x, attention.mT).mT
