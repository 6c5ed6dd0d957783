"""beartype as the type checker of every call under test, with PEP 484's rule that an int will do for a float."""

from beartype import BeartypeConf, beartype

check = beartype(conf=BeartypeConf(is_pep484_tower=True))
