"""What a model's sensors measure, for expressions that callers give."""
