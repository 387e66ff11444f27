//! What the hard solvers are told beside the scene that all solvers share.

/// Settings of the hard solvers. The soft solver asks for none of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HardSettings {
    /// How restitution depends on the speed of an impact.
    pub restitution: RestitutionModel,
    /// What keeps an event-driven run from stopping at infinitely many collisions in a finite time.
    pub collapse: CollapseRule,
    /// How the times of events are found where accelerations differ.
    pub event_times: EventTimes,
    /// How the next event is found.
    pub queue: EventQueue,
    /// Which grains an event-driven run looks at for the next event of a grain.
    pub neighbours: NeighbourSearch,
    /// How often a stepped run goes over its pairs in a step.
    pub sweeps: u32,
    /// Mean overlap at a collision, over the smallest width, that the automatic step of a stepped run aims at [1].
    pub overlap: f64,
    /// Time from which on collisions are added up for averages [s].
    pub average_after: f64,
    /// Whether each collision is told to whoever drives the run ([`crate::Simulation::collisions`]).
    pub log: bool,
}

impl Default for HardSettings {
    fn default() -> HardSettings {
        HardSettings {
            restitution: RestitutionModel::Constant,
            collapse: CollapseRule::ContactTime { duration: None },
            event_times: EventTimes::Cascade,
            queue: EventQueue::Bounded,
            neighbours: NeighbourSearch::Auto,
            sweeps: 1,
            overlap: 0.002,
            average_after: 0.0,
            log: false,
        }
    }
}

/// How the coefficient of restitution depends on the speed of an impact. Where it tends to 1 for slow impacts there is no inelastic collapse.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RestitutionModel {
    /// Not at all.
    Constant,
    /// 1 - (1 - e) (v / v_0)^p below a speed v_0, and e above it.
    PowerLaw {
        /// Speed v_0 [m/s].
        speed: f64,
        /// Exponent p [1].
        exponent: f64,
    },
    /// As that of viscoelastic spheres.
    Viscoelastic {
        /// Speed at which the materials' coefficients hold [m/s].
        speed: f64,
    },
}

/// What is done about inelastic collapse, infinitely many collisions in a finite time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CollapseRule {
    /// The model of a contact time (Luding and McNamara 1998): a collision that follows the last one of either grain within that time is
    /// elastic. The default.
    ContactTime {
        /// The contact time [s]; `None`: a hundred thousandth of a step.
        duration: Option<f64>,
    },
    /// Impacts slower than a speed are elastic.
    CutOff {
        /// The speed [m/s].
        speed: f64,
    },
    /// A ball that comes to lie on what rests, slower than a speed, falls asleep there: it hangs where it is until something wakes it.
    /// Impacts slower than a tenth of the speed are elastic.
    Sleep {
        /// The speed [m/s].
        speed: f64,
    },
    /// Nothing: a run that collapses stops with a message.
    Nothing,
}

/// How the times of events are found where accelerations differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventTimes {
    /// By the derivative cascade: none missed, none found twice. The default.
    Cascade,
    /// By Bairstow's method as in Wassgren's lecture, to compare with.
    Bairstow,
}

/// How the next event is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventQueue {
    /// A bounded priority queue (Paul 2007). The default.
    Bounded,
    /// A sorted list: slow and plain.
    SortedList,
}

/// Which grains an event-driven run looks at for the next event of a grain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NeighbourSearch {
    /// Chooses between cells and lists by the solid fraction.
    Auto,
    /// All grains.
    AllPairs,
    /// Those in the neighbouring cells, with events where grains cross from cell to cell.
    Cells,
    /// Those in a list of near neighbours, with events where a grain has gone as far as its list reaches.
    Lists,
}
