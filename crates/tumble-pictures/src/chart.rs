//! Plots of a run: time series, profiles, histograms.
