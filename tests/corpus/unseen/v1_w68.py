# Selbstaufmerksamkeit mit einem Kopf, direkt nach der Formel aus dem Paper
import torch
from torch import nn


class SelfAttentionV1(nn.Module):
    """Eingabe (Batch, Länge, Breite), Ausgabe genauso."""

    def __init__(self, hidden_dim: int):
        super().__init__()
        # eine gemeinsame Matrix für Anfrage, Schlüssel und Wert
        self.abbildung = nn.Linear(hidden_dim, 3 * hidden_dim)

    def forward(self, x):
        anfrage, schluessel, wert = self.abbildung(x).chunk(3, dim=-1)

        # Ähnlichkeit jeder Anfrage mit jedem Schlüssel: (Batch, Länge, Länge)
        punkte = anfrage @ schluessel.transpose(-2, -1)
        # durch die Wurzel teilen, damit die Varianz bei 1 bleibt
        skala = schluessel.shape[1] ** 0.5
        punkte = punkte / skala

        gewichte = torch.softmax(punkte, dim=-1)  # jede Zeile ergibt 1
        return gewichte @ wert
