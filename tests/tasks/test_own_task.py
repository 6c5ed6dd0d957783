"""A task of the user's own is imported where it is named, and nowhere else; one that breaks its word is refused."""

import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from unrandom.core.errors import UserError
from unrandom.core.seeds import stream
from unrandom.runs.recipes import recipe
from unrandom.tasks import TASKS, check_task, load_task
from unrandom.tasks.registry import USER_TASKS
from unrandom.training import RunConfig

EXAMPLE = Path(__file__).parents[2] / "examples" / "second_order.py"

GOOD = """
import numpy as np
from dataclasses import dataclass
from unrandom.tasks import HeldValuesTask, Parameters

@dataclass(frozen=True)
class Steps(Parameters):
    step: np.ndarray
    first: np.ndarray

    def numbers(self, length):
        return (self.first[:, None] + self.step[:, None] * np.arange(length, dtype=np.uint64)) % np.uint64(50)

class Counting(HeldValuesTask):
    context: int = 8
    mode: str = "streaming"
    n_sequences: int | None = None

    @property
    def vocabulary(self):
        return 50

    def held_values(self, rng):
        return {"step": rng.permutation(np.arange(1, 50, dtype=np.uint64))[:5]}

    def draw(self, rng, rows, **given):
        step = given.get("step", rng.integers(1, 50, rows, dtype=np.uint64))
        return Steps(step, rng.integers(0, 50, rows, dtype=np.uint64))
"""

AS_5 = "    @property\n    def {}(self): return 5\n\n    context: int = 8"


@pytest.fixture
def written(tmp_path):
    """Writes a task with some lines changed, and names it."""

    def write(*changes: tuple[str, str], name: str = "Counting") -> str:
        code = GOOD
        for old, new in changes:
            assert old in code
            code = code.replace(old, new)
        (tmp_path / "own.py").write_text(code)
        return f"{tmp_path / 'own.py'}:{name}"

    return write


def test_a_task_is_known_by_the_path_that_names_it(written):
    task = load_task(written()).parse({})
    check_task(task, 0)
    assert task.source is not None
    assert task.source.path == written()
    drawn = task.split(0).draw_training(stream(0, "a"), 5)
    assert drawn.numbers(9).shape == (5, 9)
    assert len(drawn[1:3]) == 2


def test_a_module_of_the_working_directory_can_be_named(tmp_path, monkeypatch):
    (tmp_path / "module_beside_me.py").write_text(GOOD)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [folder for folder in sys.path if folder])
    task = load_task("module_beside_me:Counting")
    assert task.source.path == "module_beside_me:Counting"
    assert len(task.source.sha256) == 64


def test_its_code_is_part_of_what_a_run_is(written):
    before = recipe(written()).build()
    after = recipe(written(("first[:, None] +", "first[:, None] + np.uint64(1) +"))).build()
    assert before.to_json() == after.to_json()
    assert before.digest() != after.digest()


def test_a_worker_imports_it_again(written, tmp_path):
    config = recipe(written()).build().replace(steps=7)
    (tmp_path / "config").write_bytes(pickle.dumps(config))
    code = f"import pickle; print(pickle.load(open({str(tmp_path / 'config')!r}, 'rb')).digest())"
    other = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert other.stdout.strip() == config.digest()


def test_a_configuration_of_it_is_not_read_before_it_is_named():
    tree = RunConfig(data=TASKS["quadratic"]()).to_json()
    tree["data"]["regime"] = "NeverNamed"
    with pytest.raises(UserError, match="the task 'NeverNamed' is not one of fm, um, truncated-lcg, quadratic"):
        RunConfig.parse(tree)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("no_such_file.py:Task", r"no_such_file\.py is not there$"),
        ("no_such_package.module:Task", r"cannot be imported: ModuleNotFoundError: No module named 'no_such_package'$"),
        ("file.py:", r"'file\.py:' names no task; it takes a file or module and a class, as in my_task\.py:MyTask$"),
        (
            "unrandom.tasks:Split",
            r"unrandom\.tasks:Split is not a task: a task is a class derived from unrandom",
        ),
        ("unrandom.tasks:Nothing", r"unrandom\.tasks has no Nothing"),
        ("unrandom.tasks.quadratic:Quadratic", r"quadratic is the name of a task of this package"),
    ],
)
def test_what_is_no_task_is_said_in_one_line(name, said):
    with pytest.raises(UserError, match=said) as error:
        load_task(name)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("import numpy as np", "import numpy as np; 1 / 0", "cannot be imported: ZeroDivisionError: division by zero"),
        ("def vocabulary", "def vocabulari", "does not say what a task must: vocabulary"),
        ("return 50", "return 40", r"Counting\.draw_training: \d+ is not below the vocabulary of 40"),
        ("% np.uint64(50)", "% np.uint64(50) * 1.0", "numbers must be uint64, not float64"),
        ("np.arange(length", "np.arange(length - 1", r"numbers of shape \[256, 9\] are needed, not \[256, 8\]"),
        ("rng.integers(0, 50", "np.random.default_rng().integers(0, 50", "two draws differed"),
        ('given.get("step", ', "(", "Counting.draw does not keep the step that it is given"),
        ("step: np.ndarray", "step: np.ndarray\n    units = {'seed': 'seeds'}", "its units name 'seed'"),
        ("[:5]", "", "nothing is left to train on"),
        ("[:5]", "[:5].repeat(2)", "step needs one value or more, each only once"),
        ('{"step": rng.permutation(np.arange(1, 50, dtype=np.uint64))[:5]}', "{}", "names no parameter"),
        ('{"step"', '{"steps"', "names 'steps', but its sequences have"),
        ("    context: int = 8", AS_5.format("rule"), r"Counting\.rule must be text, not 5"),
        ("    context: int = 8", AS_5.format("test_parts"), "must be a tuple of one or more, not 5"),
        (
            "    first: np.ndarray\n",
            "    first: np.ndarray\n    basis = 1.5\n",
            "a basis is a whole number from 2 to 2",
        ),
        (
            "    first: np.ndarray\n",
            "    first: np.ndarray\n    def followed(self, context): return {'few': np.ones(3, dtype=bool)}\n",
            "what is followed as 'few' must be a yes or no for each sequence",
        ),
    ],
)
def test_a_task_that_breaks_its_word_is_refused_in_one_line(written, old, new, said, unchecked):
    with pytest.raises(UserError, match=said) as error:
        check_task(load_task(written((old, new))).parse({}), 0)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("name", TASKS)
def test_the_tasks_of_the_package_keep_theirs(name, fm_data, um_data):
    check_task({"fm": fm_data, "um": um_data}.get(name) or TASKS[name](context=12), 0)


def test_the_example_is_a_linear_recurrence():
    task = load_task(f"{EXAMPLE}:SecondOrder").parse({"modulus": 31, "context": 6})
    check_task(task, 3)
    drawn = task.split(0).test("test", 40).parameters
    numbers = drawn.numbers(7).astype(np.int64)
    p, q = (drawn.labels[name].astype(np.int64)[:, None] for name in ("p", "q"))
    assert (numbers[:, 2:] == (p * numbers[:, 1:-1] + q * numbers[:, :-2]) % 31).all()


def test_values_that_are_held_out_are_the_units_where_a_task_names_none(written):
    task = load_task(written()).parse({})
    examples = task.split(0).test("test", 40)
    assert examples.units == {"step": "values of step"}


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("return Steps(step,", "return None if given else Steps(step,", "Counting cannot be used: AttributeError"),
        ("    context: int = 8", '    name = "../evil"\n    context: int = 8', "cannot name a folder"),
        ("    context: int = 8", "    def baselines(self): return None\n\n    context: int = 8", "cannot be used"),
        ("    context: int = 8", "    name = 5\n    context: int = 8", "the name 5 cannot name a folder"),
        ("    context: int = 8", "    name: str = 'mine'\n    context: int = 8", "name cannot be a setting"),
        ("import numpy as np", "import numpy as np; raise SystemExit(0)", "cannot be imported: SystemExit: 0"),
        (
            "given.get(",
            "given.gett(",
            r"Counting cannot be used: own\.py, line \d+: AttributeError: 'dict' object has no",
        ),
        ("def numbers", "def number", "Steps does not say what its numbers"),
    ],
)
def test_code_that_breaks_is_one_line(written, old, new, said):
    with pytest.raises(UserError, match=said) as error:
        check_task(load_task(written((old, new))).parse({}), 0)
    assert "\n" not in str(error.value)


def test_a_worker_does_not_go_on_with_other_code(written):
    config = recipe(written()).build()
    packed = pickle.dumps(config)
    assert pickle.loads(packed) == config
    written(("first[:, None] +", "first[:, None] + np.uint64(1) +"))
    USER_TASKS.pop("Counting")  # as in another process
    with pytest.raises(UserError, match="was changed while the command ran"):
        pickle.loads(packed)
