"""The platform on one machine: the real engine and the real policy pack, with stand-ins where AWS would be."""
