//! Colour maps, and the fields that grains are coloured by.
