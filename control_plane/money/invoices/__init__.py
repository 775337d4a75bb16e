"""Invoices and credit notes: numbers without gaps, taxes, PDFs."""
