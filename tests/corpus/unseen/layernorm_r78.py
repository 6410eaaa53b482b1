from typing import NamedTuple

import torch

EPS = 1e-5


class Gradientes(NamedTuple):
    x: torch.Tensor
    peso: torch.Tensor
    sesgo: torch.Tensor


class LayerNormManual:
    """Sin autograd: `adelante` y `atras` son funciones normales."""

    @staticmethod
    def normalizar(x, eps):
        media = x.mean(-1, keepdim=True)
        varianza = x.var(-1, keepdim=True, correction=0)  # dividida por n, no por n - 1
        desviacion = torch.sqrt(varianza + eps)
        return media, desviacion

    @classmethod
    def adelante(cls, x, peso, sesgo, eps):
        media, desviacion = cls.normalizar(x, eps)
        return (x - media) / desviacion * peso + sesgo

    @classmethod
    def atras(cls, grad, x, peso, eps):
        n = x.shape[-1]
        media, desviacion = cls.normalizar(x, eps)
        centrado = x - media
        d_xhat = grad * peso
        # camino directo, a través de la varianza y a través de la media
        directo = d_xhat / desviacion
        d_var = (d_xhat * centrado).sum(-1, keepdim=True) * -0.5 * desviacion.pow(-3)
        por_varianza = d_var * 2 * centrado / n
        por_media = -directo.sum(-1, keepdim=True) / n
        return Gradientes(
            x=directo + por_varianza + por_media,
            peso=torch.einsum("btd,btd->d", grad, centrado / desviacion),
            sesgo=torch.einsum("btd->d", grad),
        )


def ampliar(*tensores):
    """Media precisión se calcula en float32."""
    return (t.to(torch.promote_types(t.dtype, torch.float32)) for t in tensores)


def layer_norm(x, weight, bias, eps=EPS):
    return LayerNormManual.adelante(*ampliar(x, weight, bias), eps).to(x.dtype)


def layer_norm_backward(grad_output, x, weight, eps=EPS):
    gradientes = LayerNormManual.atras(*ampliar(grad_output, x, weight), eps)
    return Gradientes._make(g.to(x.dtype) for g in gradientes)
