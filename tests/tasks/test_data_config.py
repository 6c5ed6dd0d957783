"""Configurations that cannot work say so before anything is made."""

import pytest

from unrandom.core.errors import UserError
from unrandom.tasks import FixedModulus, UnseenModulus


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"modulus": 2**32}, "set data.base"),
        ({"min_period": 9, "max_period": 5}, "min_period=9 is larger than max_period=5"),
        ({"mode": "fixed", "n_sequences": None}, "give both n_a and n_c"),
        ({"mode": "fixed", "n_sequences": None, "n_a": 2, "n_c": 2, "full_period_share": 0.5}, "must be 0 or 1"),
        ({"context": 1}, "context=1"),
    ],
)
def test_fixed_modulus(fm_data, changes, said):
    with pytest.raises(UserError, match=said):
        FixedModulus.parse({**fm_data.to_json(), **changes})


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"test_moduli": []}, "test_moduli"),
        ({"test_moduli": [100], "max_modulus": 50}, "modulus 100 is larger than max_modulus=50"),
        ({"base": 256, "max_modulus": 2**30}, "give data.n_m"),
        ({"n_m": 1000}, "1000 training moduli were asked for"),
        ({"base": 256, "min_modulus": 2**31, "max_modulus": 2**33}, "up to 2\\^32"),
    ],
)
def test_unseen_modulus(um_data, changes, said):
    with pytest.raises(UserError, match=said):
        UnseenModulus.parse({**um_data.to_json(), **changes})


def test_the_paper_s_range_of_training_moduli():
    data = UnseenModulus(test_moduli=(1800, 2048), context=256)
    assert (data.smallest_modulus, data.largest_modulus) == (256, 2457)


def test_sequences_hold_one_number_more_than_the_context():
    data = FixedModulus(modulus=2**32, base=256, context=511)
    assert data.tokenizer.width == 4
    assert data.context_tokens == 2047  # as in the paper's appendix: 512 numbers of 4 digits, less the last token
