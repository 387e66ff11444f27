//! THE pair tables: shape against shape, and shape against surface.
