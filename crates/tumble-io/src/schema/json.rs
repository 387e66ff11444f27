//! The keys as a JSON Schema (draft 2020-12), which editors use to complete and check TOML.

use super::{Bound, FieldSpec, Kind, Presence, SCENE, TableSpec};
use crate::units::Dimension;
use serde_json::{Map, Value, json};

/// The JSON schema of a scene file.
pub fn json_schema() -> Value {
    let mut definitions = Map::new();
    for table in SCENE.all_tables().into_iter().skip(1) {
        definitions.insert(table.name.to_string(), table_schema(table));
    }
    let mut schema = table_schema(&SCENE);
    if let Value::Object(map) = &mut schema {
        map.insert("$schema".into(), json!("https://json-schema.org/draft/2020-12/schema"));
        map.insert("title".into(), json!("Tumble scene"));
        map.insert("$defs".into(), Value::Object(definitions));
    }
    schema
}

fn table_schema(table: &TableSpec) -> Value {
    let mut properties = Map::new();
    for field in table.fields {
        properties.insert(field.key.to_string(), field_schema(field));
    }
    let required: Vec<_> =
        table.fields.iter().filter(|f| f.presence == Presence::Required).map(|f| json!(f.key)).collect();
    let mut rules = Vec::new();
    for alternatives in table.alternatives {
        let choices: Vec<_> = alternatives.keys.iter().map(|key| json!({ "required": [key] })).collect();
        if alternatives.required {
            rules.push(json!({ "oneOf": choices }));
        } else {
            let none = json!({ "not": { "anyOf": choices.clone() } });
            rules.push(json!({ "oneOf": choices.into_iter().chain([none]).collect::<Vec<_>>() }));
        }
    }
    let mut schema = json!({
        "type": "object",
        "description": table.doc,
        "properties": properties,
        "additionalProperties": false,
    });
    if let Value::Object(map) = &mut schema {
        if !required.is_empty() {
            map.insert("required".into(), Value::Array(required));
        }
        if !rules.is_empty() {
            map.insert("allOf".into(), Value::Array(rules));
        }
    }
    schema
}

fn field_schema(field: &FieldSpec) -> Value {
    let mut schema = kind_schema(&field.kind);
    let mut description = field.doc.to_string();
    if let Presence::Optional(default) = field.presence {
        description.push_str(&format!(" Default: {default}."));
    }
    description.push_str(&format!(" Example: {} = {}", field.key, field.example));
    if let Value::Object(map) = &mut schema {
        // A reference may carry a description beside it since draft 2019-09.
        map.insert("description".into(), json!(description));
    }
    schema
}

fn kind_schema(kind: &Kind) -> Value {
    match kind {
        Kind::Text | Kind::Name(_) | Kind::File => json!({ "type": "string" }),
        Kind::Flag => json!({ "type": "boolean" }),
        Kind::Count { least, most } => json!({ "type": "integer", "minimum": least, "maximum": most }),
        Kind::Quantity(dimension, bound) => quantity(*dimension, bound),
        Kind::Quantities(dimension, bound) => {
            json!({ "type": "array", "items": quantity(*dimension, bound), "minItems": 1 })
        }
        Kind::Vector(dimension) => json!({ "anyOf": [
            { "type": "array", "items": quantity(*dimension, &Bound::ANY), "minItems": 3, "maxItems": 3 },
            { "type": "string" },
        ] }),
        Kind::Points(dimension, n) => {
            let list =
                json!({ "type": "array", "items": quantity(*dimension, &Bound::ANY), "minItems": n, "maxItems": n });
            let point = if *n == 3 { json!({ "anyOf": [list, { "type": "string" }] }) } else { list };
            json!({ "type": "array", "items": point })
        }
        Kind::Direction => json!({ "type": "array", "items": { "type": "number" }, "minItems": 3, "maxItems": 3 }),
        Kind::Rotation => json!({ "anyOf": [
            { "type": "array", "items": { "type": "number" }, "minItems": 4, "maxItems": 4 },
            {
                "type": "object",
                "properties": {
                    "axis": kind_schema(&Kind::Direction),
                    "angle": quantity(Dimension::ANGLE, &Bound::ANY),
                },
                "required": ["axis", "angle"],
                "additionalProperties": false,
            },
        ] }),
        Kind::Word(words) => json!({ "enum": words.iter().map(|w| w.word).collect::<Vec<_>>() }),
        Kind::Words(words) => {
            json!({ "type": "array", "items": { "enum": words.iter().map(|w| w.word).collect::<Vec<_>>() } })
        }
        Kind::Names(_) => json!({ "type": "array", "items": { "type": "string" } }),
        Kind::PairOfNames(_) => {
            json!({ "type": "array", "items": { "type": "string" }, "minItems": 2, "maxItems": 2 })
        }
        Kind::Shares(_) => json!({ "anyOf": [
            { "type": "string" },
            { "type": "object", "additionalProperties": quantity(Dimension::NUMBER, &Bound::POSITIVE) },
        ] }),
        Kind::Table(spec) => reference(spec),
        Kind::Named(spec) => json!({ "type": "object", "additionalProperties": reference(spec) }),
        Kind::List(spec) => json!({ "type": "array", "items": reference(spec) }),
        Kind::Either(kinds) => json!({ "anyOf": kinds.iter().map(kind_schema).collect::<Vec<_>>() }),
    }
}

fn reference(spec: &TableSpec) -> Value {
    json!({ "$ref": format!("#/$defs/{}", spec.name) })
}

/// A number within bounds, or a text (which JSON Schema cannot check further).
fn quantity(dimension: Dimension, bound: &Bound) -> Value {
    let mut number = Map::new();
    number.insert("type".into(), json!("number"));
    if bound.low > f64::NEG_INFINITY {
        number.insert(if bound.low_included { "minimum" } else { "exclusiveMinimum" }.into(), json!(bound.low));
    }
    if bound.high < f64::INFINITY {
        number.insert(if bound.high_included { "maximum" } else { "exclusiveMaximum" }.into(), json!(bound.high));
    }
    json!({ "anyOf": [number, { "type": "string", "examples": [dimension.example()] }] })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reference_has_a_definition() {
        let schema = json_schema();
        let definitions = schema["$defs"].as_object().unwrap();
        fn walk(value: &Value, seen: &mut Vec<String>) {
            match value {
                Value::Object(map) => {
                    if let Some(Value::String(reference)) = map.get("$ref") {
                        seen.push(reference.trim_start_matches("#/$defs/").to_string());
                    }
                    map.values().for_each(|v| walk(v, seen));
                }
                Value::Array(items) => items.iter().for_each(|v| walk(v, seen)),
                _ => {}
            }
        }
        let mut seen = Vec::new();
        walk(&schema, &mut seen);
        assert!(seen.len() > 10);
        for name in seen {
            assert!(definitions.contains_key(&name), "{name} is referred to but not defined");
        }
    }
}
