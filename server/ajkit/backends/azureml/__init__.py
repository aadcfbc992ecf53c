"""Jobs on Azure Machine Learning computes (aml) and Singularity virtual clusters (sing)."""

from __future__ import annotations
