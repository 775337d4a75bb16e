"""Speech and language providers: a file or folder for each, listed in ``registry``."""
