"""Each family recovers its generators with their parameters, and predicts the next and the previous outputs.

This file tests constants, counters, lagged sums and differences; other files test LCGs and generators linear modulo 2.
"""

import random
from itertools import islice

import numpy as np
import pytest
from streams import audit_stream, found, stream_of

from plainly import lagged, ranlux24_base, take
from unrandom.auditing.deadline import Deadline, OutOfTime
from unrandom.auditing.families import FAMILIES
from unrandom.auditing.families.carry.lagged import Carry
from unrandom.auditing.family import Undetermined
from unrandom.auditing.forms.form import Form
from unrandom.auditing.forms.scales import scales
from unrandom.auditing.forms.shown import Fractions
from unrandom.auditing.forms.stream import Stream

MASK64 = 2**64 - 1


def test_constants_counters_and_periods():
    assert found([7] * 90, "trivial").parameters == {"kind": "constant", "value": 7}
    counter = found(list(range(50, 1000, 7)), "trivial")
    assert counter.parameters == {"kind": "counter", "step": 7}
    assert counter.previous is None  # the counter may have started at 50
    wrapping = found([t * 7 % 31 for t in range(120)], "trivial")
    assert wrapping.parameters["modulus"] == 31
    assert wrapping.previous == [-7 * k % 31 for k in range(10, 0, -1)]
    period = found([3, 1, 4, 1, 5] * 30, "trivial")
    assert period.parameters == {"kind": "period", "length": 5}
    assert period.outputs_needed == 10
    assert period.previous == [3, 1, 4, 1, 5] * 2
    late = found([1, 2, 4, 8, *[0, 5] * 60], "trivial")
    assert late.parameters == {"kind": "period", "length": 2, "after": 4}
    assert late.previous is None


@pytest.mark.parametrize(
    ("near", "far", "bits"), [(3, 31, 32), (24, 55, 32), (5, 17, 16), (24, 55, 64), (273, 607, 64)]
)
@pytest.mark.parametrize("sign", [1, -1])
def test_lagged_fibonacci(near, far, bits, sign):
    chance = random.Random(far)
    first = [chance.getrandbits(bits) for _ in range(far)]
    numbers = take(lagged(first, near, far, (1, sign), 2**bits), 3 * far + 200)
    verdict = found(numbers[20:], "lagged-fibonacci", bits=bits)
    assert verdict.previous == numbers[10:20]


def test_additive_generators_without_their_lowest_bit():
    chance = random.Random(0)
    for sign in (1, -1):
        first = [chance.getrandbits(32) for _ in range(31)]
        shown = [x >> 1 for x in take(lagged(first, 3, 31, (1, sign), 2**32), 500)]
        verdict = found(shown[40:], "lagged-fibonacci", bits=31)
        assert verdict.previous == shown[30:40]
        assert 60 < verdict.outputs_needed < 300


@pytest.mark.slow
def test_the_subtractive_generator_of_dotnet():
    """The modulus 2**31 − 1 is inferred from the numbers or their fractions."""
    chance, m = random.Random(2), 2**31 - 1
    numbers = take(lagged([chance.randrange(m) for _ in range(55)], 34, 55, (-1, 1), m), 300)
    assert found(numbers, "lagged-fibonacci").parameters["rule"] == "x[i] = -x[i-34] + x[i-55] mod 2147483647"
    values = np.array([x * (1.0 / m) for x in numbers])
    errors = np.zeros(len(values))
    stream = Stream(values, Form("fraction"), Fractions(errors, scales=scales(values, errors)))
    assert audit_stream(stream).family == "lagged-fibonacci"


def test_subtraction_with_carry_of_the_standard():
    numbers = take(ranlux24_base(), 10_000)
    assert numbers[-1] == 7937952
    found(numbers[:150], "carry", bits=24)
    generator = next(Carry().recover(stream_of(numbers[:60], 24), Deadline(60)))
    assert next(islice(generator.outputs(), 9999, None)) == 7937952


def test_addition_with_carry():
    chance, carry = random.Random(4), 0
    numbers = [chance.getrandbits(32) for _ in range(21)]
    while len(numbers) < 200:
        total = numbers[-5] + numbers[-21] + carry
        carry = total >> 32
        numbers.append(total % 2**32)
    found(numbers, "carry", bits=32)


def streams_of(count):
    """So many words, numbers in a range, constants and fractions."""
    chance = random.Random(count)
    values, errors = np.array([chance.random() for _ in range(count)]), np.zeros(count)
    return [
        *(stream_of([0, *(chance.getrandbits(bits) for _ in range(40))], bits).head(count) for bits in (1, 8, 32, 64)),
        stream_of([chance.randrange(10) for _ in range(40)], bounded=10).head(count),
        stream_of([0] * 40).head(count),
        stream_of([MASK64] * 40).head(count),
        Stream(values, Form("fraction"), Fractions(errors, scales=scales(values, errors))),
        Stream(values.round(3), Form("fraction", digits=3, fixed=True), Fractions(errors + 5e-4)),
    ]


def accepts_any_length(family):
    for count in (0, 1, 2, 3, 5, 9, 40):
        for form, stream in enumerate(streams_of(count)):
            try:
                family.needs(stream)
                for generator in islice(family.recover(stream, Deadline(0.05 if family.slow else 0.5)), 3):
                    if isinstance(generator, Undetermined):
                        continue
                    assert len(list(islice(generator.outputs(), 5))) == 5
                    before = generator.previous(3)
                    assert before is None or len(before) == 3
            except OutOfTime:
                continue
            except Exception as error:
                error.add_note(f"{family.name}, {count} numbers of stream {form}")
                raise


KINDS = {kind: [one for one in FAMILIES if type(one) is kind] for kind in map(type, FAMILIES)}


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_recovery_accepts_streams_of_any_length(kind):
    accepts_any_length(KINDS[kind][0])


@pytest.mark.slow
@pytest.mark.parametrize("kind", [kind for kind in KINDS if len(KINDS[kind]) > 1], ids=lambda kind: kind.__name__)
def test_recovery_of_every_family_of_a_kind_accepts_streams_of_any_length(kind):
    for family in KINDS[kind][1:]:
        accepts_any_length(family)
