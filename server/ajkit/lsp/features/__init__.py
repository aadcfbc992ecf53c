"""What the editor asks, one file per question: a view and a place in, a plain protocol value out."""
