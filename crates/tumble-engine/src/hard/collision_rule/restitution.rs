//! Normal restitution: a number, or a function of the speed of approach.

/// How much of the speed of approach two surfaces part with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Restitution {
    /// The same at any speed [1], from 0 to 1.
    Constant(f64),
    /// 1 - (1 - e0) (v / v0)^p below a speed v0, and e0 above it: the faster, the more is lost, up to a bound. With
    /// p = 3/4 as in Bizon, Shattuck, Swift, McCormick and Swinney, *Phys. Rev. Lett.* 80 (1998) 57.
    PowerLaw {
        /// The restitution e0 at and above the speed [1], from 0 to 1.
        restitution: f64,
        /// The speed v0 [m/s], above 0.
        speed: f64,
        /// The exponent p [1], above 0.
        exponent: f64,
    },
    /// That of viscoelastic spheres, whose contact is Hertz's with a dissipation proportional to the rate of strain; it
    /// tends to 1 as 1 - 1.153 x^2 with x = rate v^(1/10). By the Pade approximant of Mueller and Poeschel, *Phys. Rev. E* 84
    /// (2011) 021302, which holds from rest to any speed.
    Viscoelastic {
        /// What x is at a speed of 1 m/s [(s/m)^(1/10)], above 0; see [`Restitution::viscoelastic`].
        rate: f64,
    },
}

/// The numerator of the approximant is 1 + `PADE[0]` x, its denominator 1 + `PADE[0]` x + `PADE[1]` x^2 + ...: without a
/// term in x, as in the series 1 - C1 x^2 + (3/5) C1^2 x^4 - ... of which it is made.
const PADE: [f64; 4] = [0.501086, 1.15345, 0.577977, 0.532178];

impl Restitution {
    /// The exponent that is usual with [`Restitution::PowerLaw`].
    pub const USUAL_EXPONENT: f64 = 0.75;

    /// The restitution at a speed of approach [m/s].
    #[inline]
    pub fn at(&self, approach: f64) -> f64 {
        match *self {
            Restitution::Constant(restitution) => restitution,
            Restitution::PowerLaw { restitution, speed, exponent } => {
                1.0 - (1.0 - restitution) * (approach / speed).min(1.0).powf(exponent)
            }
            Restitution::Viscoelastic { rate } => pade(rate * approach.powf(0.1)),
        }
    }

    /// That of viscoelastic spheres with a restitution, above 0 and below 1, at a speed of approach [m/s].
    pub fn viscoelastic(restitution: f64, speed: f64) -> Restitution {
        // The approximant falls from 1 to 0.
        let (mut low, mut high) = (0.0, 1.0);
        while pade(high) > restitution {
            high *= 2.0;
        }
        // Halves until the two are neighbours.
        loop {
            let middle = 0.5 * (low + high);
            if middle <= low || middle >= high {
                return Restitution::Viscoelastic { rate: high / speed.powf(0.1) };
            }
            if pade(middle) > restitution {
                low = middle;
            } else {
                high = middle;
            }
        }
    }

    /// Whether what is lost does not become less with the speed, so that a bouncing body comes to rest after infinitely
    /// many collisions in a finite time.
    pub fn is_constant(&self) -> bool {
        matches!(self, Restitution::Constant(_))
    }
}

fn pade(x: f64) -> f64 {
    let [first, second, third, fourth] = PADE;
    (1.0 + first * x) / (1.0 + x * (first + x * (second + x * (third + x * fourth))))
}
