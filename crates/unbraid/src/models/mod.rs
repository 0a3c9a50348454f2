//! The methods, one file each, in the order of the docs.
//!
//! To add one, write its file and add its line to [`MODELS`]; the command line, TOML, `show`, the
//! docs and the contract tests follow.

use unbraid_measure::info;

use crate::error::Result;
use crate::model::entry::{Entry, baseline, model};

pub mod annealed_vae;
pub mod autoencoder;
pub mod beta_tc_vae;
pub mod beta_vae;
pub mod biscuit_nf;
pub mod biscuit_vae;
pub mod causal_vae;
pub mod causal_vae_unsup;
pub mod citris_nf;
pub mod citris_vae;
pub mod condition_vae;
pub mod ct_vae;
pub mod dc_ign;
pub mod dip_vae;
pub mod factor_vae;
pub mod hierarchical_vae;
pub mod ica;
pub mod info_gan;
pub mod ivae;
pub mod ladder_vae;
pub mod pair_classifier;
pub mod pair_discriminant;
pub mod pca;
pub mod raw;
pub mod segment_flow;
pub mod slow_vae;
pub mod structural_vae;
pub mod supervised;
pub mod tcl;
pub mod transition_ivae;
pub mod truth;
pub mod untrained;
pub mod vae;
pub mod vq_vae;
pub mod weak_vae;

/// Every method.
pub static MODELS: &[Entry] = &[
    baseline::<truth::Truth>(),
    baseline::<raw::Raw>(),
    baseline::<pca::Pca>(),
    baseline::<ica::Ica>(),
    Entry { info: untrained::INFO, takes_steps: false, ..model::<vae::Vae>() },
    model::<vae::Vae>(),
    model::<beta_vae::BetaVae>(),
    model::<annealed_vae::AnnealedVae>(),
    model::<factor_vae::FactorVae>(),
    model::<beta_tc_vae::BetaTcVae>(),
    model::<dip_vae::DipVae<dip_vae::One>>(),
    model::<dip_vae::DipVae<dip_vae::Two>>(),
    model::<hierarchical_vae::HierarchicalVae>(),
    model::<ladder_vae::LadderVae>(),
    model::<info_gan::InfoGan>(),
    model::<weak_vae::WeakVae<weak_vae::AdaGroup>>(),
    model::<weak_vae::WeakVae<weak_vae::AdaProduct>>(),
    model::<weak_vae::WeakVae<weak_vae::KnownGroup>>(),
    model::<weak_vae::WeakVae<weak_vae::KnownProduct>>(),
    model::<dc_ign::DcIgn>(),
    model::<ivae::Ivae>(),
    model::<tcl::Tcl>(),
    baseline::<segment_flow::Flow>(),
    model::<supervised::Supervised>(),
    model::<condition_vae::ConditionVae>(),
    model::<causal_vae::CausalVae>(),
    model::<causal_vae_unsup::CausalVaeUnsup>(),
    model::<structural_vae::StructuralVae>(),
    model::<slow_vae::SlowVae>(),
    model::<transition_ivae::TransitionIvae>(),
    model::<citris_vae::CitrisVae>(),
    model::<autoencoder::Autoencoder>(),
    model::<citris_nf::CitrisNf>(),
    model::<biscuit_vae::BiscuitVae>(),
    model::<biscuit_nf::BiscuitNf>(),
    model::<vq_vae::VqVae<vq_vae::One>>(),
    model::<vq_vae::VqVae<vq_vae::Several>>(),
    model::<ct_vae::CtVae>(),
    model::<pair_classifier::PairClassifier>(),
    baseline::<pair_discriminant::PairDiscriminant>(),
];

/// Find a method by name.
pub fn find(name: &str) -> Result<&'static Entry> {
    Ok(info::find("model", "models", MODELS.iter().map(|e| (e.info.name, e)), name)?)
}

#[cfg(test)]
mod tests;
