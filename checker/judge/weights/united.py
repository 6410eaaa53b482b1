"""One parameter for several layers of one block, as where a list holds one module many times."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice, product

from ....kata.modules import Layer
from .parameter_names import said_by
from .readings import Proposals
from .takes import Reading, Shapes, Take

__all__ = ["united"]

_MOST = 100


def united(
    shapes: Shapes, layers: Sequence[Layer], sizes: dict[str, int], linear: frozenset[str], *,
    symbols: Sequence[str] = (),
) -> Iterator[Reading]:  # fmt: skip
    """Yield readings in which some layers are one parameter. Arguments as `readings` has them.

    Each parameter holds whole layers, and what its name says is among them.
    """
    matrices = [one for one in layers if len(one.shape) > 1]
    proposals = Proposals(shapes, layers, sizes, linear, symbols, loose=True)
    thick = proposals.thick
    if not 0 < len(thick) < len(matrices):
        return
    said = {name: said_by(name, layers) for name in thick}
    told = {layer: name for name, many in said.items() for layer in many}
    forms: dict[str, dict[str, Take]] = {}
    for one in matrices:
        names = [told[one.name]] if one.name in told else [*thick]
        found = {name: proposals.forms(((one.name,), (name,))) for name in names}
        forms[one.name] = {name: takes[0] for name, takes in found.items() if takes}
    norms = next(proposals.norms(), [])
    ends = [Take(layers=n, names=m, biases=proposals.biases_of(n, m)) for n, m in norms]
    for way in islice(product(*(takes.values() for takes in forms.values())), _MOST):
        if {take.names[0] for take in way} == {*thick}:
            yield (*way, *ends)
