# 層正規化。順伝播と逆伝播を手で書く。
import torch


class Moments:
    """位置ごとの平均と標準偏差の逆数。"""

    def __init__(self, eps):
        self.eps = eps

    def of(self, x):
        mean = x.mean(-1, keepdim=True)
        var = (x - mean).square().mean(-1, keepdim=True)
        # 分散が 0 のときに割れないようにする
        return mean, var.clamp(min=self.eps).rsqrt()


class Precision:
    """半精度では float32 で計算し、最後に戻す。"""

    def __init__(self, like):
        self.outer = like.dtype
        self.inner = torch.promote_types(like.dtype, torch.float32)

    def enter(self, t):
        return t.to(self.inner)

    def leave(self, *ts):
        ts = tuple(t.to(self.outer) for t in ts)
        return ts[0] if len(ts) == 1 else ts


def layer_norm(x, weight, bias, eps=1e-5):
    p = Precision(x)
    wx = p.enter(x)
    mean, rstd = Moments(eps).of(wx)
    return p.leave((wx - mean) * rstd * p.enter(weight) + p.enter(bias))


def layer_norm_backward(grad_output, x, weight, eps=1e-5):
    p = Precision(x)
    g, wx, w = p.enter(grad_output), p.enter(x), p.enter(weight)
    mean, rstd = Moments(eps).of(wx)
    xhat = (wx - mean) * rstd
    gw = torch.einsum("btc,btc->c", g, xhat)
    gb = torch.einsum("btc->c", g)
    gh = g * w
    gx = gh - gh.mean(-1, keepdim=True) - xhat * (gh * xhat).mean(-1, keepdim=True)
    return p.leave(gx * rstd, gw, gb)
