"""What one environment chose: one object, validated whole, every fault in one report."""
