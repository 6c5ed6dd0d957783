"""How does a configuration become a finished run, one or many of them? No figure is known here."""
