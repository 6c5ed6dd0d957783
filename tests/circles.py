"""Does any module of the package import itself by way of others? Prints such a circle, and fails."""

import sys
from graphlib import CycleError, TopologicalSorter

import grimp

graph = grimp.build_graph("unrandom", cache_dir=None)
try:
    TopologicalSorter({name: graph.find_modules_directly_imported_by(name) for name in graph.modules}).prepare()
except CycleError as error:
    sys.exit("modules import each other in a circle: " + " <- ".join(error.args[1]))
