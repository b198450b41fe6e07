"""What is put into a scene beside its robots: paths, forces, limits, and words about them."""

from station.view.augment.augment import Augment

__all__ = ["Augment"]
