"""Pages of a run, and pages that run the model: 3-D, plots and a play bar in one HTML file that needs no network. docs/concepts/view.md"""
