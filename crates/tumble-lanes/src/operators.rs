//! The operators of four lanes, which all types have.

/// Implements `+`, `-`, `*`, `/` and negation by expressions in two lanes of the type, and `+=` and a zero.
macro_rules! operators {
    (
        $lanes:ty, |$a:ident, $b:ident|
        zero: $zero:expr, add: $add:expr, subtract: $subtract:expr, multiply: $multiply:expr, divide: $divide:expr,
        negate: $negate:expr $(,)?
    ) => {
        $crate::operators::operators!(@two $lanes, |$a, $b| Add, add, $add);
        $crate::operators::operators!(@two $lanes, |$a, $b| Sub, sub, $subtract);
        $crate::operators::operators!(@two $lanes, |$a, $b| Mul, mul, $multiply);
        $crate::operators::operators!(@two $lanes, |$a, $b| Div, div, $divide);

        impl std::ops::Neg for $lanes {
            type Output = $lanes;
            #[inline(always)]
            fn neg(self) -> $lanes {
                let $a = self;
                $negate
            }
        }

        impl std::ops::AddAssign for $lanes {
            #[inline(always)]
            fn add_assign(&mut self, other: $lanes) {
                *self = *self + other;
            }
        }

        impl Default for $lanes {
            #[inline(always)]
            fn default() -> $lanes {
                $zero
            }
        }
    };
    (@two $lanes:ty, |$a:ident, $b:ident| $operator:ident, $method:ident, $result:expr) => {
        impl std::ops::$operator for $lanes {
            type Output = $lanes;
            #[inline(always)]
            fn $method(self, $b: $lanes) -> $lanes {
                let $a = self;
                $result
            }
        }
    };
}
pub(crate) use operators;
