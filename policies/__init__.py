"""The policy pack: a second, independent reading of the documents that the program makes."""
