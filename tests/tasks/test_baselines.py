"""Every name makes a predictor that sees the past alone, and each ceiling lies where it should."""

import numpy as np
import pytest

from priors import full_period
from unrandom.core.errors import UserError
from unrandom.evaluation import evaluate
from unrandom.tasks import make_predictors

FM = ["copy", "lookback-copy", "lookback", "lookback:2", "lookback:5", "algebraic", "bayes"]
UM = ["copy", "algebraic", "bayes"]


@pytest.fixture(params=["fixed", "unseen"])
def predictors(request, fm_data, um_data):
    return make_predictors(FM, fm_data) if request.param == "fixed" else make_predictors(UM, um_data)


def test_a_predictor_is_called_what_it_was_asked_for(fm_data, um_data):
    assert [p.name for p in make_predictors(FM, fm_data)] == FM
    assert [p.name for p in make_predictors(UM, um_data)] == UM


def test_no_guess_depends_on_what_it_guesses_or_on_what_follows(predictors):
    x = full_period(32, rows=20, length=12)
    other = x.copy()
    other[:, 7:] = np.random.default_rng(0).integers(0, 32, size=(20, 5))
    for predictor in predictors:
        before, after = predictor.predict(x), predictor.predict(other)
        assert (before.numbers[:, :7] == after.numbers[:, :7]).all()
        assert (before.abstained[:, :7] == after.abstained[:, :7]).all()


def test_each_row_is_predicted_for_itself(predictors):
    x = full_period(32, rows=6, length=12)
    for predictor in predictors:
        alone = [predictor.predict(x[i : i + 1]) for i in range(6)]
        assert (predictor.predict(x).numbers == np.concatenate([p.numbers for p in alone])).all()


def test_ceilings_of_a_fixed_modulus(fm_data):
    sequences = fm_data.split(0).test(64, 64)
    accuracy = {p.name: evaluate(p, sequences).by_position.value for p in make_predictors(FM, fm_data)}
    assert (accuracy["bayes"][2:] == 1).all()
    assert (accuracy["algebraic"][2:] == 1).all()
    assert (accuracy["lookback"][7:] == 1).all()  # six bits after eight numbers
    assert (accuracy["lookback-copy"] < 1).all()
    assert (accuracy["copy"] == 0).all()  # the period is 64


def test_primitive_roots_are_arbitrary_multipliers(fm_data):
    data = fm_data.replace(modulus=61, test_multipliers="primitive-root")
    sequences = data.split(0).test(61, 16)
    (bayes,) = make_predictors(["bayes"], data)
    assert (evaluate(bayes, sequences).by_position.value[2:] == 1).all()


def test_what_cannot_be_made_is_said_in_one_line(fm_data, um_data):
    with pytest.raises(UserError, match=r"^no predictor is called 'look-back'; near misses: lookback"):
        make_predictors(["copy", "look-back"], fm_data)
    for name in ("lookback", "lookback:3"):
        with pytest.raises(UserError, match="no predictor is called 'lookback'; near misses: fixed-lookback"):
            make_predictors([name], um_data)
    with pytest.raises(UserError, match=r"copy takes no number; of the predictors of this task, lookback:3 does"):
        make_predictors(["copy:2"], fm_data)
    with pytest.raises(UserError, match=r"near misses: lookback"):
        make_predictors(["lookbak:3"], fm_data)
    for name in ("lookback:", "lookback:x", "lookback:-1"):
        with pytest.raises(UserError, match=r"lookback takes a whole number of at most four digits"):
            make_predictors([name], fm_data)
    with pytest.raises(UserError, match=r"from 1 to 64, but order=65 was given"):
        make_predictors(["lookback:65"], fm_data)
