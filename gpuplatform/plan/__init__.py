"""What follows from settings: NodePools, queues, weeks, prices and subnets, each computed from the settings only."""
