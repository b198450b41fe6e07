"""What happens a thousand times per second in an emulated arm, compiled."""
