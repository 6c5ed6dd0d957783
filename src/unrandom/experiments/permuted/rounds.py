"""Finds the number of rounds from which a cipher is unpredictable for the same model and compute: a control with a
dial.

Beyond the paper and its follow-up. The model, steps and outputs are as for the smallest permuted generator; the
numbers are a counter under some rounds of Speck32/64, with unseen keys. ``rounds`` has the model's last-number accuracy
and copying's by rounds; ``pcg-alone`` has it for permuted generators.
"""

import polars as pl

from unrandom.evaluation import evaluate
from unrandom.experiments.claims import Claim, Evidence, at_least, at_most
from unrandom.experiments.experiment import Entry, Experiment, Picture, Pictures, Run, RunSpec, Scale, by_scale
from unrandom.experiments.permuted.presets import SIZES, configured, unseen_examples, with_seeds
from unrandom.experiments.summaries import column_lines, each_seed, tables_by_run
from unrandom.figures.panels import LinePanel
from unrandom.runs.tables import Tables
from unrandom.tasks import make_predictors
from unrandom.tasks.reduced_speck import ReducedSpeck

ENTRY = Entry(
    name="pcg-rounds",
    place=22,
    about="a cipher of few rounds, learned by the same model: the negative control",
    minutes=71,
)

ROUNDS = by_scale(smoke=(1, 5), laptop=(1, 2, 3, 4, 5, 6, 8))
SEQUENCES = by_scale(smoke=64, laptop=4096)
UNPREDICTABLE = 5  # from this number of rounds on, the claim expects nothing above chance

CLAIMS = {
    "few": Claim(
        statement="One round is predicted.",
        quantity="last-number accuracy with one round",
        wanted=at_least(0.9, "share"),
    ),
    "beyond-copying": Claim(
        statement="With a few rounds, the model predicts more than copying does.",
        quantity="last-number accuracy less that of copying, the largest over rounds from 2 to 4",
        wanted=at_least(0.1, "difference of shares"),
    ),
    "control": Claim(
        statement="From five rounds on, the same model and compute predict nothing.",
        quantity="last-number accuracy less chance, the largest over five rounds and more",
        wanted=at_most(0.02, "difference of shares"),
    ),
}


def runs(scale: Scale, seeds: int) -> list[RunSpec]:
    """One model for each number of rounds."""
    size = SIZES[scale][0]
    config, shown = configured(scale, size), size.state_bits // 2
    return [
        spec
        for rounds in ROUNDS[scale]
        for spec in with_seeds(
            "reduced-speck",
            config.replace(
                data=ReducedSpeck(rounds=rounds, bits=shown, context=size.context, mode="streaming", n_sequences=None)
            ),
            seeds,
            rounds=rounds,
        )
    ]


def measure(runs: list[Run], scale: Scale) -> Tables:
    return tables_by_run(runs, lambda run: {"rounds": [_measured(run, scale)]})


def _measured(run: Run, scale: Scale) -> dict[str, float]:
    task, test = run.config.data, unseen_examples(run, SEQUENCES[scale])
    predictors = {"accuracy": run.predictor(), "copying": make_predictors(["copy"], task)[0]}
    found = {name: float(evaluate(each, test).last_number_accuracy.value) for name, each in predictors.items()}
    return {**found, "chance": 1 / task.vocabulary}


def evidence(tables: Tables) -> Evidence:
    rounds = tables["rounds"]
    number, accuracy = pl.col("rounds"), pl.col("accuracy")
    return {
        "few": each_seed(rounds.filter(number == 1), accuracy.max()),
        "beyond-copying": each_seed(rounds.filter(number.is_between(2, 4)), (accuracy - pl.col("copying")).max()),
        "control": each_seed(rounds.filter(number >= UNPREDICTABLE), (accuracy - pl.col("chance")).max()),
    }


def draw(tables: Tables) -> Pictures:
    """Accuracy of the model and of copying by rounds."""
    rounds = tables["rounds"].with_columns(pl.col("seed").cast(pl.String).alias("run"))
    labels = {"accuracy": "model (one line per seed)", "copying": "copying", "chance": "chance"}
    lines = column_lines(rounds, "rounds", labels)
    yield Picture([LinePanel("a counter under Speck32/64", "rounds", "last number right", lines)])


EXPERIMENT = Experiment(ENTRY, CLAIMS, runs, measure, evidence, draw, task=ReducedSpeck, compares=True)
