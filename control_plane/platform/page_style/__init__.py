"""What all pages that we serve look like: icon, colours and buttons."""
