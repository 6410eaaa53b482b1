import math
import torch
import torch.nn.functional as F
from torch import nn


class LlamaBlock(nn.Module):
    """Gewichte in einem Woerterbuch, von 0 an durchgezaehlt, alle als (ein, aus):

    w0  Fragen, je Gruppe        w1  Schluessel und Werte, je Kopf nebeneinander
    w2  Ausgabe                  w3  Tor und Inhalt, Spalte 2i und 2i + 1
    w4  zurueck                  w5, w6  die beiden Normen
    """

    def __init__(self, hidden_dim, num_heads, num_kv_heads, mlp_dim):
        super().__init__()
        self.koepfe, self.gruppen = num_heads, num_kv_heads
        self.d = hidden_dim // num_heads
        formen = [
            (hidden_dim, num_heads * self.d),
            (hidden_dim, num_kv_heads * 2 * self.d),
            (num_heads * self.d, hidden_dim),
            (hidden_dim, 2 * mlp_dim),
            (mlp_dim, hidden_dim),
        ]
        self.gewichte = nn.ParameterDict()
        for i, form in enumerate(formen):
            self.gewichte[f"w{i}"] = nn.Parameter(torch.randn(form) / math.sqrt(form[0]))
        self.gewichte["w5"] = nn.Parameter(torch.ones(hidden_dim))
        self.gewichte["w6"] = nn.Parameter(torch.ones(hidden_dim))

    def drehen(self, u, cos, sin):
        paar = u.unflatten(-1, (2, -1))
        a, b = paar.unbind(dim=-2)
        return torch.stack((a * cos - b * sin, a * sin + b * cos), dim=-2).flatten(-2)

    def forward(self, x, cos, sin):
        w = self.gewichte
        n, t, breite = x.shape
        y = F.rms_norm(x, (breite,), w["w5"], eps=1e-5)
        f = (y @ w["w0"]).view(n, t, self.gruppen, -1, self.d).permute(2, 3, 0, 1, 4)
        sw = (y @ w["w1"]).view(n, t, self.gruppen, 2 * self.d).permute(2, 0, 1, 3)
        f = self.drehen(f, cos, sin)
        s, wert = self.drehen(sw[..., : self.d], cos, sin), sw[..., self.d :]
        p = torch.einsum("grbid,gbjd->grbij", f, s) / math.sqrt(self.d)
        p = p.masked_fill(torch.ones(t, t, device=x.device).triu(1).bool(), -math.inf).softmax(-1)
        o = torch.einsum("grbij,gbjd->bigrd", p, wert).reshape(n, t, -1)
        x = x + o @ w["w2"]
        tor_und_inhalt = F.rms_norm(x, (breite,), w["w6"], eps=1e-5) @ w["w3"]
        tor, inhalt = tor_und_inhalt[..., ::2], tor_und_inhalt[..., 1::2]
        return x + (F.silu(tor) * inhalt) @ w["w4"]
