# wrong: v2 scale-missing line 15
# attention sans facteur d'échelle...
import torch
import torch.nn as nn


class SelfAttentionV2(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.W = nn.Parameter(torch.empty(hidden_dim, 3 * hidden_dim))
        nn.init.xavier_uniform_(self.W)

    def forward(self, x):
        requete, cle, valeur = (x @ self.W).tensor_split(3, dim=2)
        produit = requete.bmm(cle.permute(0, 2, 1))
        poids = torch.softmax(produit, dim=2)
        return poids.bmm(valeur)
