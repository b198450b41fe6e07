"""From measurements to corrected parameters, with uncertainties."""
