# Self-attention seen as the embedded-Gaussian non-local block (Wang et al., CVPR 2018),
# on sequences rather than feature maps: theta / phi / g are 1x1 convolutions.
import torch
from torch import nn


def conv1x1(channels):
    layer = nn.Conv1d(channels, channels, kernel_size=1)
    nn.init.xavier_uniform_(layer.weight)
    return layer


class SelfAttentionV1(nn.Module):
    def __init__(self, in_channels):
        super(SelfAttentionV1, self).__init__()
        self.inter_channels = in_channels
        self.g = conv1x1(in_channels)
        self.phi = conv1x1(in_channels)
        self.theta = conv1x1(in_channels)

    def forward(self, x):
        feat = x.permute(0, 2, 1)                    # B C N, as conv wants it

        theta_x = self.theta(feat).permute(0, 2, 1)  # B N C
        phi_x = self.phi(feat)                       # B C N
        g_x = self.g(feat).permute(0, 2, 1)          # B N C

        # split the 1/sqrt(C) over both factors so half precision does not overflow
        r = float(self.inter_channels) ** 0.25
        f = torch.bmm(theta_x / r, phi_x / r)        # B N N
        f_div_C = nn.Softmax(dim=2)(f)
        return torch.bmm(f_div_C, g_x)
