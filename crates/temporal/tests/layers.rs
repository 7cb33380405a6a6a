use gimbal_core::Milli;
use gimbal_temporal::Layer;
use gimbal_temporal::layer::{Activation, Memory, SPECS, temperature};

// covers: CTHA-001, CTHA-010
#[test]
fn layers_are_named_numbered_and_counted() {
    assert_eq!(Layer::ALL.map(Layer::number), [1, 2, 3, 4, 5]);
    for layer in Layer::ALL {
        assert_eq!(layer.name().parse::<Layer>().unwrap(), layer);
    }
    assert_eq!(Layer::of_count(1), [Layer::Reflex]);
    assert_eq!(Layer::of_count(2), [Layer::Reflex, Layer::Strategic]);
    assert_eq!(Layer::of_count(4), &Layer::ALL[..4]);
    assert!(Layer::of_count(0).is_empty() && Layer::of_count(6).is_empty());
    let error = "strategik".parse::<Layer>().unwrap_err().to_string();
    assert!(error.contains("did you mean `strategic`"), "{error}");
}

// covers: CTHA-002, CTHA-006, CTHA-007
#[test]
fn the_equation_of_temperatures_gives_the_table() {
    for spec in SPECS {
        assert_eq!(temperature(spec.tau), spec.temperature, "{}", spec.layer);
        assert!((spec.scale.0..=spec.scale.1).contains(&spec.tau), "{}", spec.layer);
    }
    assert_eq!(SPECS.map(|spec| spec.temperature.0)[..4], [100, 300, 500, 700]);
    assert_eq!(SPECS.map(|spec| spec.max_tokens)[..4], [256, 512, 1024, 2048]);
    assert_eq!(temperature(Milli::ZERO), Milli::ZERO);
}

// covers: CTHA-003, CTHA-004, CTHA-042
#[test]
fn each_layer_has_its_memory_activation_and_budget() {
    assert_eq!(Layer::Reflex.spec().memory, Memory::None);
    assert_eq!(Layer::Tactical.spec().memory, Memory::LastSteps(8));
    assert_eq!(Layer::Reflex.spec().activation, Activation::Period(1));
    assert_eq!(Layer::Tactical.spec().activation, Activation::Period(3));
    assert_eq!(Layer::Strategic.spec().activation, Activation::GoalCompletion);
    assert_eq!(SPECS.map(|spec| spec.message_tokens)[..4], [64, 128, 256, 512]);
}
