"""Any content with any option gives numbers or a one-line error; ``fuzz_reading.py`` tries more contents."""

from fuzz_reading import fuzz


def test_any_content_is_read_or_refused():
    read, refused = fuzz(300)
    assert read > 20
    assert refused > 20
