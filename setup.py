"""All is said in pyproject.toml but this: a tree with compiled kernels makes a wheel for this Python and platform."""

from pathlib import Path

from setuptools import Distribution, setup


class Kernels(Distribution):
    """The kernels are no extension modules, but as bound to a version of Python and a processor."""

    def has_ext_modules(self) -> bool:
        """Whether the wheel is for one platform."""
        return (Path(__file__).parent / "station" / "kernel" / "compiled").is_dir()


setup(distclass=Kernels)
