"""Documents of the monitoring stack: metrics that are scraped, series recorded from them, alerts and boards."""
