"""With `--types`, shapes and types of calls are checked in every module of the package."""

import sys

import numpy as np
import pytest

from unrandom.evaluation.intervals import over_clusters, students_quantile

pytestmark = pytest.mark.typed


def test_a_call_with_another_type_or_shape_fails():
    assert students_quantile(3) > 0
    with pytest.raises(TypeError, match="violates type hint"):
        students_quantile("three")
    one = {"by": np.zeros(2, dtype=np.int64)}
    with pytest.raises(TypeError, match="Type-check"):
        over_clusters(np.zeros(2), one)


def test_every_module_of_the_package_is_checked():
    of_the_package = {name: module for name, module in sys.modules.items() if name.partition(".")[0] == "unrandom"}
    assert "unrandom.runs.spec" in of_the_package
    unchecked = [
        name for name, module in of_the_package.items() if "jaxtyping" not in type(module.__loader__).__module__
    ]
    assert unchecked == []
