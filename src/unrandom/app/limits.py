"""How much can a visitor of the app ask for? So much that 20 visitors at once are served by a laptop."""

MAX_CHARACTERS = 200_000  # of pasted text
MAX_DIGITS = 40  # of m, a, c and x0
MAX_FILE = 2 * 2**20  # bytes of an uploaded file
MAX_REQUEST = 4 * 2**20  # bytes; more than a file or a pasted text in JSON has
AUDIT_SECONDS = 10  # of the search; reading and the last family may take some more
KILLED_AFTER = 40  # seconds after which an audit is ended, whatever it does
AUDITS_AT_ONCE = 2  # each is a process of its own
ANSWERS_AT_ONCE = 2  # of models
MAX_WAITING = 100  # requests in the queue; one more is refused
LOADED_MODELS = 4  # that are kept in memory
TEST_TOKENS = 2**13  # of a staircase; its intervals are wide with so few, and the results have more
FEWEST_SEQUENCES = 32  # of a staircase
GUESSES_SHOWN = 64  # the last ones; each of a model with several digits takes some forward passes
TOKENS_SHOWN = 256  # the first ones, of the attention of a head
