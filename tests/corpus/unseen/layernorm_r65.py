# Rows are (batch * length), columns are features. Forward statistics by Welford's update, one
# column at a time, as a single thread of the kernel would do it.
import torch


def _acc(t):
    return t if t.dtype == torch.float64 else t.float()


def _welford(rows):
    n = rows.shape[1]
    mean = torch.zeros_like(rows[:, 0])
    m2 = torch.zeros_like(rows[:, 0])
    for j in range(n):
        delta = rows[:, j] - mean
        mean = mean + delta / (j + 1)
        m2 = m2 + delta * (rows[:, j] - mean)
    return mean[:, None], (m2 / n)[:, None]


def layer_norm(x, weight, bias, eps=1e-5):
    rows = _acc(x).reshape(-1, x.shape[-1])
    mean, var = _welford(rows)
    rstd = torch.rsqrt(var + eps)
    y = (rows - mean) * rstd * _acc(weight) + _acc(bias)
    return y.reshape(x.shape).to(x.dtype)


def layer_norm_backward(grad_output, x, weight, eps=1e-5):
    D = x.shape[-1]
    rows = _acc(x).reshape(-1, D)
    dy = _acc(grad_output).reshape(-1, D)
    mean, var = _welford(rows)
    rstd = torch.rsqrt(var + eps)
    xhat = (rows - mean) * rstd

    dbeta = dy.sum(0)
    dgamma = (dy * xhat).sum(0)

    wdy = dy * _acc(weight)
    c1 = (xhat * wdy).sum(1, keepdim=True)
    c2 = wdy.sum(1, keepdim=True)
    # D * wdy - sum(wdy) - xhat * sum(wdy * xhat), all over D
    dx = (D * wdy - c2 - xhat * c1) * rstd / D
    return dx.reshape(x.shape).to(x.dtype), dgamma.to(weight.dtype), dbeta.to(weight.dtype)
