"""Jobs on Slurm, through sbatch."""

from __future__ import annotations
