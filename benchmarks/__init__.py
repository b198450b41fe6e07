"""Figures for this machine; the README quotes nothing that does not come from here."""
