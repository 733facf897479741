"""The fact sheet of every chart and add-on that the platform installs, read from the files beside it."""
