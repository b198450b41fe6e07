"""Force Dimension devices (delta, omega, sigma, lambda) through the maker's SDK, if it is installed."""
