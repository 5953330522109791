"""Are claims true? Each is measured against the frames that it names, or looked for on its way or in its view."""
