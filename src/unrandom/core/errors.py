"""Which failures are the user's to mend? Those that are a ``UserError``: one clear line, exit status 2."""


class UserError(ValueError):
    """The input cannot be used. The message is one line: what was given, and what is allowed."""
