"""See a run: a page on this machine with the tour in 3D, and the same as one offline file. Needs `roomtour[view]`."""
