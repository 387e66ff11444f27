//! A polyhedron and a superquadric: by the pieces of their gap, by the cases of Peng and Hanley, and by these guarded.

mod cases;
mod exact;
mod sampling;
