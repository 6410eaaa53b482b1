"""The steps of the lesson on drill-softmax, each after its `# %%`; the last part makes the picture."""

# %% shares
import torch

torch.set_printoptions(precision=2, sci_mode=False)
x = torch.tensor([0.0, 1.0, 2.0])
exps = x.exp()
print(exps, exps.sum())
print(exps / exps.sum())

# %% a shift changes nothing
for shift in (0.0, 100.0):
    print((x + shift - (x + shift).max()).exp())
big = torch.tensor([0.0, 1000.0])
print(big.exp() / big.exp().sum())
print((big - 1000).exp() / (big - 1000).exp().sum())

# %% the logarithm of the sum
top = x.max()
print(top + (x - top).exp().sum().log())
print(x.exp().sum().log())
print(torch.tensor([1000.0, 1000.0]).logsumexp(dim=0) - 1000)

# %% rows, and keepdim
table = torch.tensor([[0.0, 0.0], [0.0, 2.0]])
print(table.sum(dim=-1).shape, table.sum(dim=-1, keepdim=True).shape)
print(table.softmax(dim=-1))

# %% hidden entries
hidden = torch.tensor([0.0, 1.0, float("-inf")])
print(hidden.softmax(dim=0))

# %% picture
picture = torch.stack([x.softmax(dim=0), hidden.softmax(dim=0)])
rows, columns = ("all", "last hidden"), ("0", "1", "2")
