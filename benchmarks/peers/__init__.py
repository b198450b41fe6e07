"""Other people's solvers, each in its own environment and process, on the same mechanism and the same targets.

    MAD file ─ case.py ─▶ case ─ rounds.py ─▶ workers, ours and peers alternately
                                                  └─▶ joint values and times ─ score.py ─▶ tables

Modules here must not import `station` at their top if a worker needs them: peers live in environments without it.
"""
