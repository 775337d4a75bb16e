"""Speech and language providers: one file or folder each, registered in `registry`."""
