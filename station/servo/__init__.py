"""The real-time process: its clockwork (`pacing`), and what it shows to and hears from other processes (`shared`)."""
