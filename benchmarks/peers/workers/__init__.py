"""One module per solver; each is a process that answers one line per request (see serve.py)."""
