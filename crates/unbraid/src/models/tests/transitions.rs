//! The losses of models of time.

use super::*;
use crate::model::Columns;

/// Tiny models of transitions: of vectors, with two targets and actions of two numbers.
fn of_transitions<M: Model>(text: &str) -> Example<M> {
    let shape = Shape { channels: 5, height: 1, width: 1, range: Range::Real };
    sequence(text, shape)
}

fn sequence<M: Model>(text: &str, shape: Shape) -> Example<M> {
    let task = Task { targets: Columns::first(2), action: 2, ..Task::observing(shape, 40) };
    Example { rounding: 3e-4, ..Example::of(text, &task) }
}

/// Values that are cancelled and assignments that are drawn have gradients that differences do not see; they
/// are looked at where they are made, in `parts/time`.
fn is_plain(path: &str) -> bool {
    !path.contains("intervened") && !path.contains("psi")
}

#[test]
fn losses_of_transitions_have_the_gradients_that_differences_find() {
    const NETS: &str = "latents = 3\nchannels = 1\nwidth = 4\n";
    let image = Shape { channels: 1, height: 4, width: 4, range: Range::Unit };
    let nets = |text: &str| format!("{NETS}{text}");
    of_transitions::<slow_vae::SlowVae>(NETS).check(&|_| true, &total);
    sequence::<slow_vae::SlowVae>(NETS, image).check(&|_| true, &total);
    of_transitions::<autoencoder::Autoencoder>(NETS).check(&|_| true, &total);
    of_transitions::<autoencoder::Autoencoder>(&nets("kl = 0.5")).check(&|_| true, &total);
    let images = |path: &str| path.contains("encoder") || path.contains("decoder");
    let first = nets("flow_layers = 2\nprior_width = 3\nimages_first = 0.8");
    let first = of_transitions::<citris_vae::CitrisVae>(&first);
    first.check(&images, &total);
    assert!(first.gradients(&total).keys().all(|path| images(path)), "only images are learned");
    for told in ["targets", "actions"] {
        let text = nets(&format!("flow_layers = 2\nprior_width = 4\ntold = '{told}'"));
        of_transitions::<transition_ivae::TransitionIvae>(&text).check(&|_| true, &total);
    }
    // The regulariser has a gradient and no value.
    let free = "flow_layers = 2\nprior_width = 3\nlogit_factor = 0\n";
    of_transitions::<biscuit_vae::BiscuitVae>(&nets(free)).check(&|_| true, &total);
    of_transitions::<biscuit_nf::BiscuitNf>(free).check(&|_| true, &total);
    for interventions in ["perfect", "imperfect"] {
        let text = format!("flow_layers = 2\nprior_width = 3\ninterventions = '{interventions}'\n");
        let vae = of_transitions::<citris_vae::CitrisVae>(&nets(&text));
        both_players(&vae, 2.0);
        both_players(&of_transitions::<citris_nf::CitrisNf>(&text), 1.0);
        let text = nets(&format!("{text}autoregressive = true\n"));
        both_players(&of_transitions::<citris_vae::CitrisVae>(&text), 2.0);
    }
}

/// The target classifier learns by its own loss alone, and nothing else learns by it.
fn both_players<M: Model>(example: &Example<M>, weight: f64) {
    let own = |path: &str| path.contains("classifier");
    let its = |loss: Loss| term("classifier")(loss) * weight;
    let rest = |loss: Loss| {
        let total = loss.total.clone();
        total - term("classifier")(loss) * weight
    };
    example.check(&own, &its);
    example.check(&|path| !own(path) && is_plain(path), &rest);
}
