"""The robot files: that they load, mean what they say, assemble, and match what is published."""
