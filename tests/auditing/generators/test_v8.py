"""V8 hands out its fractions in blocks, in reverse order of generation."""

from itertools import islice

import pytest

from plainly import take, v8, xorshift128
from unrandom.auditing.generators.v8 import BLOCK, MathRandom, step_of

STATE = (2**63 + 12345, 987654321)


@pytest.mark.parametrize("shown", [52, 53])
def test_blocks_in_the_order_of_handing_out(shown):
    generator, state, made = MathRandom(shown), STATE, []
    for _ in range(3):
        block, state = generator.block(state)
        made += block
    assert made == [word >> (64 - shown) for word in take(v8(STATE), 3 * BLOCK)]
    for _ in range(3):
        block, state = generator.block_before(state)
        assert block == made[-BLOCK:]
        del made[-BLOCK:]
    assert state == STATE


@pytest.mark.parametrize("left", [1, 40, BLOCK])
def test_the_step_that_made_an_output(left):
    words = [first for first, _ in islice(xorshift128(STATE, 23, 17, 26), 5 * BLOCK)]
    outputs = take(v8(STATE), 200 + BLOCK)[BLOCK - left :]
    assert [words[step_of(i, left)] for i in range(200)] == outputs[:200]
