"""The effects of a change on a running stack: what is replaced, why and when, and which pods find no node any more."""
