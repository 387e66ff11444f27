//! Reads materials, their interactions and the contact law.

use super::names::Names;
use super::reader::Reader;
use crate::diagnostic::{Diagnostic, Location, Severity};
use crate::schema::{DEEPEST_POINT, PRESETS, SUB_CONTACTS};
use std::collections::BTreeMap;
use tumble_engine::law::{
    ContactEnd, Curvature, Faces, InteractionProperties, Law, LawKind, MindlinTangential, RollingModel, VolumeExponent,
};
use tumble_engine::model::Material;
use tumble_geometry::common_plane::{
    CommonPlaneChoices, CommonPlaneOptions, EndBy, FacePoint, RefusedPlaneChoice, SearchDirections,
};
use tumble_geometry::feng::{FengChoices, NearestBy, OverlapMeasure, RefusedChoice};
use tumble_geometry::narrow::{ContactMethod, DEFAULT_CROWN, LARGEST_CROWN};
use tumble_geometry::roots::QuarticBy;
use tumble_geometry::tolerance::LAW_REGION;

/// Typical values, in the order of [`PRESETS`]: density, Young's modulus, Poisson's ratio, restitution, friction.
/// They are handbook values to start from; real grains of the same name differ by a factor of two or more.
const PRESET_VALUES: [[f64; 5]; PRESETS.len()] = [
    [2500.0, 70e9, 0.22, 0.9, 0.3],  // glass
    [7850.0, 200e9, 0.29, 0.8, 0.4], // steel
    [2700.0, 70e9, 0.33, 0.7, 0.4],  // aluminium
    [1190.0, 3e9, 0.37, 0.85, 0.35], // acrylic
    [950.0, 0.9e9, 0.42, 0.7, 0.3],  // polyethylene
    [1100.0, 5e6, 0.48, 0.75, 0.9],  // rubber
    [2650.0, 70e9, 0.17, 0.6, 0.5],  // sand
    [2700.0, 50e9, 0.27, 0.5, 0.6],  // limestone
    [700.0, 11e9, 0.35, 0.5, 0.4],   // wood
];

/// The table of pairs grows with the square of this.
const MOST_MATERIALS: usize = 1000;

/// What was read of the materials.
pub(crate) struct Materials {
    pub names: Names,
    pub list: Vec<Material>,
    pub interactions: Vec<InteractionProperties>,
}

pub(crate) fn read_materials(scene: &Reader, needs_moduli: bool) -> Materials {
    let mut tables = scene.tables("materials");
    if tables.len() > MOST_MATERIALS {
        scene.report_at(
            "materials",
            format!("found {}", tables.len()),
            format!("at most {MOST_MATERIALS} are allowed"),
        );
        tables.truncate(MOST_MATERIALS);
    }
    let mut names = Names::new("material");
    let mut list = Vec::new();
    let mut own = Vec::new();
    for (name, reader) in &tables {
        names.add(name, &reader.path, reader.at);
        let preset = reader.word("preset").map(|p| PRESET_VALUES[p]);
        let needed = |key: &'static str, from_preset: Option<f64>, unused: Option<f64>| {
            let given = reader.quantity(key);
            if given.is_none() && !reader.has(key) && from_preset.is_none() && unused.is_none() && !reader.has("preset")
            {
                reader.report_missing(key);
            }
            given.or(from_preset).or(unused).unwrap_or(1.0)
        };
        let density = needed("density", preset.map(|p| p[0]), None);
        // A law that asks no modulus is content with any number where it is not given.
        let young_modulus = needed("young", preset.map(|p| p[1]), (!needs_moduli).then_some(1e9));
        let poisson_ratio = reader.quantity("poisson").or(preset.map(|p| p[2])).unwrap_or(0.3);
        list.push(Material { name: name.to_string(), density, young_modulus, poisson_ratio });
        own.push(InteractionProperties {
            restitution: reader.quantity("restitution").or(preset.map(|p| p[3])).unwrap_or(0.8),
            friction: reader.quantity("friction").or(preset.map(|p| p[4])).unwrap_or(0.5),
            rolling_friction: reader.quantity("rolling_friction").unwrap_or(0.0),
            tangential_restitution: reader.quantity("tangential_restitution").unwrap_or(0.0),
        });
    }
    let n = list.len();
    let mut interactions: Vec<_> =
        (0..n * n).map(|k| mean(&own[k / n.max(1)], &own[k % n.max(1)], k / n == k % n)).collect();
    read_interactions(scene, &names, n, &mut interactions);
    Materials { names, list, interactions }
}

/// Geometric means; within a material its own values, without rounding.
fn mean(a: &InteractionProperties, b: &InteractionProperties, same: bool) -> InteractionProperties {
    if same {
        return *a;
    }
    InteractionProperties {
        restitution: (a.restitution * b.restitution).sqrt(),
        friction: (a.friction * b.friction).sqrt(),
        rolling_friction: (a.rolling_friction * b.rolling_friction).sqrt(),
        // It may be below zero, where there is no geometric mean.
        tangential_restitution: 0.5 * (a.tangential_restitution + b.tangential_restitution),
    }
}

fn read_interactions(scene: &Reader, names: &Names, n: usize, interactions: &mut [InteractionProperties]) {
    let mut given: BTreeMap<(usize, usize), Location> = BTreeMap::new();
    for (_, reader) in scene.tables("interactions") {
        let keys = ["restitution", "friction", "rolling_friction", "tangential_restitution"];
        let values = keys.map(|key| reader.quantity(key));
        let Some(pair) = reader.pair_of_names("between") else { continue };
        let path = reader.key_path("between");
        let found = pair.map(|(name, at)| names.resolve(scene.context, name, at, &path));
        let [Some(a), Some(b)] = found else { continue };
        if let Some(before) = given.insert((a.min(b), a.max(b)), pair[0].1.clone()) {
            scene.context.report(Diagnostic {
                severity: Severity::Error,
                key: path,
                message: format!("the pair {:?}, {:?} was given before", pair[0].0, pair[1].0),
                at: Some(pair[0].1.clone()),
                expected: "each pair may be given once; the order of the two does not matter".into(),
                help: None,
                also: Some((before, "here".into())),
            });
        }
        for k in [a * n + b, b * n + a] {
            let target = &mut interactions[k];
            target.restitution = values[0].unwrap_or(target.restitution);
            target.friction = values[1].unwrap_or(target.friction);
            target.rolling_friction = values[2].unwrap_or(target.rolling_friction);
            target.tangential_restitution = values[3].unwrap_or(target.tangential_restitution);
        }
    }
}

pub(crate) fn read_law(scene: &Reader) -> Law {
    let mut law = Law {
        kind: LawKind::HertzMindlin { tangential: MindlinTangential::Rescaled, curvature: Curvature::Body },
        end: ContactEnd::Clamped,
        rolling: RollingModel::SpringDashpot { damping: 0.3 },
        contact_method: ContactMethod::default(),
        faces: Faces::MeanDepth,
    };
    let Some(reader) = scene.table("law") else { return law };
    if let Some(hertz) = reader.table("hertz_mindlin") {
        let tangential = hertz.word("tangential").unwrap_or(0);
        law.kind = LawKind::HertzMindlin {
            tangential: [MindlinTangential::Rescaled, MindlinTangential::Incremental][tangential],
            curvature: [Curvature::Body, Curvature::Local][hertz.word("curvature").unwrap_or(0)],
        };
    }
    if let Some(linear) = reader.table("linear") {
        law.kind = LawKind::Linear {
            normal_stiffness: linear.quantity("stiffness").unwrap_or(1.0),
            tangential_ratio: linear.quantity("tangential_ratio").unwrap_or(2.0 / 7.0),
        };
    }
    if let Some(volume) = reader.table("volume") {
        law.kind = LawKind::Volume {
            normal_stiffness: volume.quantity("stiffness").unwrap_or(1.0),
            tangential_ratio: volume.quantity("tangential_ratio").unwrap_or(2.0 / 7.0),
            exponent: read_exponent(&volume),
            length: volume.quantity("reference_length"),
            region_tolerance: LAW_REGION,
        };
    }
    if let Some(pressure) = reader.table("pressure") {
        law.kind = LawKind::Pressure {
            stiffness_per_area: pressure.quantity("stiffness").unwrap_or(1.0),
            tangential_ratio: pressure.quantity("tangential_ratio").unwrap_or(2.0 / 7.0),
        };
    }
    if let Some(word) = reader.word("contact_end") {
        law.end = [ContactEnd::Clamped, ContactEnd::Open][word];
    }
    if reader.is_text("rolling") {
        if reader.word_not_table("rolling").is_some() {
            law.rolling = RollingModel::Spring;
        }
    } else if let Some(rolling) = reader.table("rolling")
        && let Some(dashpot) = rolling.table("spring_dashpot")
    {
        law.rolling = RollingModel::SpringDashpot { damping: dashpot.quantity("damping").unwrap_or(0.3) };
    }
    if let Some(word) = reader.word("contact_method") {
        law.contact_method = ContactMethod::ALL[word];
    }
    if let Some(feng) = reader.table("feng") {
        read_feng(&reader, &feng, &mut law);
    }
    if let Some(plane) = reader.table("common_plane") {
        read_common_plane(&reader, &plane, &mut law);
    }
    read_faces(&reader, &mut law);
    if let Some(name) = by_region(&law.kind)
        && law.contact_method.is_published()
    {
        reader.report_at(
            "contact_method",
            format!("found \"{}\" with `{name}`", law.contact_method.name()),
            "this law takes its force from the exact common region: \"exact\" or \"general\"",
        );
    }
    if law.kind.goes_by_local_curvature() && law.contact_method.is_published() {
        reader.report_at(
            "contact_method",
            format!("found \"{}\" with `law.hertz_mindlin.curvature` \"local\"", law.contact_method.name()),
            "curvatures are taken where bodies touch: \"exact\" or \"general\"",
        );
    }
    law
}

/// The key of a law that goes by the common region.
fn by_region(kind: &LawKind) -> Option<&'static str> {
    match kind {
        LawKind::Volume { .. } => Some("law.volume"),
        LawKind::Pressure { .. } => Some("law.pressure"),
        LawKind::Linear { .. } | LawKind::HertzMindlin { .. } => None,
    }
}

fn read_faces(reader: &Reader, law: &mut Law) {
    law.faces = match reader.word("faces") {
        Some(SUB_CONTACTS) => Faces::SubContacts { crown: DEFAULT_CROWN },
        Some(DEEPEST_POINT) => Faces::DeepestPoint { crown: DEFAULT_CROWN },
        _ => Faces::MeanDepth,
    };
    let Some(crown) = reader.quantity("crown") else { return };
    if crown > LARGEST_CROWN {
        reader.report_at("crown", format!("found {crown}"), format!("wants a number from 0 to {LARGEST_CROWN}"));
    }
    let published = law.contact_method.is_published().then(|| law.contact_method.name());
    if let Some(other) = by_region(&law.kind).or(published) {
        if crown > 0.0 {
            reader.report_at(
                "crown",
                format!("found {crown} with `{other}`"),
                "there bodies are met flat: leave `crown` out, or set it to 0",
            );
        }
        return;
    }
    match &mut law.faces {
        Faces::MeanDepth => reader.report_at(
            "crown",
            format!("found {crown}, but faces are met by their mean depth"),
            "a crown is for `faces = \"deepest-point\"` and \"sub-contacts\": set one of these too, or leave `crown` out",
        ),
        Faces::SubContacts { crown: own } | Faces::DeepestPoint { crown: own } => *own = crown,
    }
}

/// What of the published method was chosen.
fn read_feng(reader: &Reader, feng: &Reader, law: &mut Law) {
    let parts = |key| feng.count(key).and_then(|n| usize::try_from(n).ok());
    let choices = FengChoices {
        measure: feng.word("overlap").map(|word| OverlapMeasure::ALL[word]),
        factor: feng.quantity("weight"),
        n_layers: parts("layers"),
        n_points: parts("edge_points"),
        quartic_by: feng.word("quartic").map(|word| QuarticBy::ALL[word]),
        nearest_by: feng.word("nearest").map(|word| NearestBy::ALL[word]),
    };
    let method = law.contact_method;
    let not_published = || {
        let (with, wanted) = match by_region(&law.kind) {
            Some(name) => {
                (format!("`{name}`"), "this law takes its force from the exact common region: leave `feng` out")
            }
            None => (
                format!("`contact_method` \"{}\"", method.name()),
                "these are choices of the method of Feng, Han & Owen: set `contact_method` to \"feng-layered\" or \"feng-edge\", or leave \
                 `feng` out",
            ),
        };
        reader.report_at("feng", format!("found with {with}"), wanted);
    };
    match method.with(&choices) {
        // An empty table chooses nothing, and is out of place all the same.
        Ok(chosen) if chosen.feng().is_none() => not_published(),
        Ok(chosen) => law.contact_method = chosen,
        Err(RefusedChoice::LayersOfEdges) => feng.report_at(
            "layers",
            "found with \"feng-edge\"",
            "\"feng-edge\" has no layers: set `edge_points`, or take \"feng-layered\"",
        ),
        Err(RefusedChoice::PointsOfLayers) => feng.report_at(
            "edge_points",
            "found with \"feng-layered\"",
            "\"feng-layered\" has no points of edges: set `layers`, or take \"feng-edge\"",
        ),
        Err(RefusedChoice::NotFeng(_)) => not_published(),
    }
}

/// What of a common plane was chosen.
fn read_common_plane(reader: &Reader, plane: &Reader, law: &mut Law) {
    let directions = plane.count("directions").and_then(|n| {
        let known = SearchDirections::of(n);
        if known.is_none() {
            plane.report_at("directions", format!("found {n}"), "wants 4, 8 or 16");
        }
        known
    });
    let angle = |key| {
        let angle = plane.quantity(key)?;
        let range = CommonPlaneOptions::SMALLEST_ANGLE..=CommonPlaneOptions::LARGEST_ANGLE;
        if !range.contains(&angle) {
            plane.report_at(key, format!("found {angle} rad"), "wants an angle from 1e-12 rad to 45 deg");
            return None;
        }
        Some(angle)
    };
    let choices = CommonPlaneChoices {
        start_angle: angle("start_angle"),
        angle_limit: angle("angle_limit"),
        directions,
        gap_increment: plane.quantity("gap_increment"),
        end: plane.word("end").map(|word| EndBy::ALL[word]),
        face_point: plane.word("face_point").map(|word| FacePoint::ALL[word]),
    };
    let method = law.contact_method;
    match method.with_plane(&choices) {
        Ok(chosen) if chosen.common_plane().is_some() => law.contact_method = chosen,
        // What is out of range has been reported.
        Err(RefusedPlaneChoice::Angles) => {}
        Err(RefusedPlaneChoice::OfLiu) => plane.report_at(
            ["gap_increment", "end", "face_point"].into_iter().find(|key| plane.has(key)).unwrap_or("end"),
            "found with \"cundall\"",
            "\"cundall\" ends by the angle alone and has one contact point: take \"liu\", or leave this out",
        ),
        // An empty table chooses nothing, and is out of place all the same.
        Ok(_) | Err(RefusedPlaneChoice::NoPlane(_)) => reader.report_at(
            "common_plane",
            format!("found with `contact_method` \"{}\"", method.name()),
            "these are choices of the common plane: set `contact_method` to \"cundall\" or \"liu\", or leave `common_plane` out",
        ),
    }
}

fn read_exponent(reader: &Reader) -> VolumeExponent {
    let known = [VolumeExponent::One, VolumeExponent::ThreeHalves, VolumeExponent::Two];
    let Some(exponent) = reader.quantity("exponent") else { return VolumeExponent::ThreeHalves };
    known.into_iter().find(|known| known.value() == exponent).unwrap_or_else(|| {
        reader.report_at("exponent", format!("found {exponent}"), "wants 1, 1.5 or 2");
        VolumeExponent::ThreeHalves
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::parse_with_inputs;

    #[test]
    fn each_way_to_meet_faces_is_read_with_its_crown() {
        let rest = "materials.glass = { preset = \"glass\" }\nparticles.bead = { radius = \"5 mm\" }\ntime.end = 1\n\
                    insert = [{ fill = { region = { ball = { centre = [0, 0, 0], radius = 1 } }, count = 5 } }]\n";
        let faces = |law: &str| {
            let text = format!("law = {{ {law} }}\n{rest}");
            parse_with_inputs(&text, "scene.toml", &[], &BTreeMap::new()).unwrap().model.law.faces
        };
        assert_eq!(faces("linear = { stiffness = 1e5 }"), Faces::MeanDepth);
        assert_eq!(faces("faces = \"mean-depth\""), Faces::MeanDepth);
        assert_eq!(faces("faces = \"sub-contacts\""), Faces::SubContacts { crown: DEFAULT_CROWN });
        assert_eq!(faces("faces = \"sub-contacts\", crown = 1e-3"), Faces::SubContacts { crown: 1e-3 });
        assert_eq!(faces("faces = \"deepest-point\""), Faces::DeepestPoint { crown: DEFAULT_CROWN });
        assert_eq!(faces("faces = \"deepest-point\", crown = 0"), Faces::DeepestPoint { crown: 0.0 });
    }
}
