"""The policy pack: a second, independent check of the documents that the program renders."""
