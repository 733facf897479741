"""The settings of one environment: one object, validated as a whole, with every fault in one report."""
