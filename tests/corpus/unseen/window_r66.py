"""Sliding window attention, one diagonal after another with an online softmax: for every
distance back the query rows are paired with the key rows that lie that far before them."""
import math

import torch


def window_attention(query, key, value, window):
    L, D = query.shape[-2], query.shape[-1]
    alpha = 1.0 / math.sqrt(D)

    # distance 0: every row sees itself
    m = (query * key).sum(-1, keepdim=True) * alpha      # running maximum
    z = (m - m).exp()                                    # running denominator
    acc = value                                          # running numerator

    for back in range(1, min(window, L)):
        n = L - back
        q, k, v = query[:, :, back:], key[:, :, :n], value[:, :, :n]
        s = (q * k).sum(-1, keepdim=True) * alpha

        m_old, z_old, acc_old = m[:, :, back:], z[:, :, back:], acc[:, :, back:]
        m_new = torch.maximum(m_old, s)
        corr = (m_old - m_new).exp()
        p = (s - m_new).exp()

        m = torch.cat((m[:, :, :back], m_new), dim=2)
        z = torch.cat((z[:, :, :back], z_old * corr + p), dim=2)
        acc = torch.cat((acc[:, :, :back], acc_old * corr + p * v), dim=2)

    return acc / z


if __name__ == "__main__":
    t = torch.randn(1, 2, 6, 4)
    print(window_attention(t, t, t, 3).shape)
