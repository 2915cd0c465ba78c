"""How often a verdict is right: series, methods, figures, plots. See scripts/verdicts."""
